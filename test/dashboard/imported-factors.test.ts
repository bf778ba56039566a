import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totpCode } from '../../src/lib/totp.ts';
import { importPassword } from '../../src/services/people/old-passwords.ts';
import { startTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { givenAccount, newBrowser } from './browser.ts';
import { VirtualAuthenticator } from './virtual-authenticator.ts';

const [ID, ORIGIN] = ['localhost', 'http://localhost:8000'];

// Healthchecks has stored these: the secret of an app, and a credential of a security key.
const TOTP = 'T4NDURWR3PZQJRZDEAM2QAPWAE7B6JTZ';
const CREDENTIAL =
  '000000000000000000000000000000000030C8BB4A746F37872BFFAE0635F0AFAA3F6F6DD6AE3A9EEB1A8E6E16E26F8277AFFB49C5B5A21491C2177266EC79EC2438' +
  'A5010203262001215820B9D2F26BECE323F1E6B8CBCF124434CC743B3445CBA1348700B11107650DE87D2258204794AD8518A5BA3CCB1EC111607B26848894B51B60D81D590E3757F54FEE2C55';
const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAVgeNZuo7ZCwZkld
jdY7gBB3u11FXO0Y+FBSEe1TspKhRANCAAS50vJr7OMj8ea4y88SRDTMdDs0Rcuh
NIcAsREHZQ3ofUeUrYUYpbo8yx7BEWB7JoSIlLUbYNgdWQ43V/VP7ixV
-----END PRIVATE KEY-----
`;
const PASSWORD = 'correct horse';
const HASH = 'pbkdf2_sha256$1000$saltsaltsaltsaltsalt12$7kQnvik2EF+ZgxuPgZDCIKdNYs3JKaGATJCvSjVHMpY=';

forEachEngine((engine) => {
  test('an app that came from Healthchecks shows codes that sign in, each once', async () => {
    await using app = await startTestApp(engine);
    const { id, email } = await givenAccount(app);
    const sealedSecret = app.deps.vault.seal(TOTP);
    await app.deps.store.transaction(async (tx) => {
      await importPassword(tx, id, HASH);
      await tx.secondFactors.addAuthenticator({ accountId: id, sealedSecret, createdAt: 0 }, 0);
    });
    const code = totpCode(TOTP, app.clock.now());
    const complete = async (given: string) => {
      const browser = newBrowser(app);
      const first = await browser.signIn(email, PASSWORD);
      assert.equal(first.status, 200);
      assert.deepEqual(first.json.secondFactors, ['totp']);
      const reply = await browser.post('/do/signInWithCode', { pending: first.json.pending, code: given });
      return { browser, reply };
    };

    const { browser, reply } = await complete(code);

    assert.equal(reply.status, 204);
    assert.equal((await browser.get('/read/signedIn')).json.account.email, email);
    // The page asks to make some while none are left.
    assert.equal((await browser.get('/read/secondFactors')).json.recoveryCodesLeft, 0);
    const again = await complete(code);
    assert.equal(again.reply.status, 403);
    app.clock.advance({ seconds: 60 });
    assert.equal((await complete(totpCode(TOTP, app.clock.now()))).reply.status, 204);
  });

  test('a security key that came from Healthchecks completes a sign-in', async () => {
    await using app = await startTestApp(engine);
    const { id, email } = await givenAccount(app);
    const bytes = Buffer.from(CREDENTIAL, 'hex');
    const length = bytes.readUInt16BE(16);
    const credentialId = bytes.subarray(18, 18 + length).toString('base64url');
    await app.deps.store.transaction(async (tx) => {
      await importPassword(tx, id, HASH);
      await tx.passkeys.insert({
        uuid: app.deps.random.uuid(),
        accountId: id,
        kind: 'security_key',
        credentialId,
        publicKey: bytes.subarray(18 + length).toString('base64url'),
        counter: 0,
        name: 'Blue key',
        createdAt: 0,
        lastUsedAt: null,
      });
    });
    const finish = async (device: VirtualAuthenticator) => {
      device.verifies = false;
      const browser = newBrowser(app);
      const first = await browser.signIn(email, PASSWORD);
      assert.deepEqual(first.json.secondFactors, ['security_key']);
      const { pending } = first.json;
      const { options, sealed } = (await browser.post('/do/beginSignInByKey', { pending })).json;
      return browser.post('/do/signInWithKey', { pending, sealed, response: device.get(options) });
    };
    const own = new VirtualAuthenticator(ID, ORIGIN, { credentialId, privateKey: PRIVATE_KEY });
    const stolen = new VirtualAuthenticator('other.example', ORIGIN, {
      credentialId,
      privateKey: PRIVATE_KEY,
    });

    assert.equal((await finish(own)).status, 204);
    assert.equal((await finish(stolen)).status, 403);
    assert.equal((await finish(own)).status, 204);
  });
});
