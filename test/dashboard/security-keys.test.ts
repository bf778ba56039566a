import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totpCode } from '../../src/lib/totp.ts';
import { FakeMailSender, post } from '../account-mails.ts';
import { sharedTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { type Browser, type BrowserReply, givenAccount, newBrowser, PASSWORD } from './browser.ts';
import { VirtualAuthenticator } from './virtual-authenticator.ts';

const [ID, ORIGIN] = ['localhost', 'http://localhost:8000'];
const SECOND_FACTOR = '/do/signInWithCode';

type Kind = 'passkey' | 'security_key';

/** A plain security key cannot verify the person. */
function newDevice(kind: Kind): VirtualAuthenticator {
  const device = new VirtualAuthenticator(ID, ORIGIN);
  device.verifies = kind === 'passkey';
  return device;
}

async function add(browser: Browser, kind: Kind, device = newDevice(kind)): Promise<BrowserReply> {
  const { options, sealed } = (await browser.post('/do/beginPasskey', { kind })).json;
  return browser.post('/do/addPasskey', { sealed, name: 'Key', response: device.create(options) });
}

/** Somebody with a password and a key. */
async function withKey(app: TestApp, kind: Kind = 'security_key') {
  const { email } = await givenAccount(app);
  const browser = newBrowser(app);
  await browser.signIn(email);
  const device = newDevice(kind);
  const added = await add(browser, kind, device);
  assert.equal(added.status, 200);
  return { email, browser, device, codes: added.json.recoveryCodes as string[] };
}

/** Gives the right password in a new browser. */
async function begin(app: TestApp, email: string) {
  const browser = newBrowser(app);
  const reply = await browser.signIn(email);
  assert.equal(reply.status, 200);
  assert.equal((await browser.get('/read/signedIn')).status, 401);
  return { browser, pending: reply.json.pending, ways: reply.json.secondFactors };
}

/** Completes it with the key. */
async function finish(
  { browser, pending }: { browser: Browser; pending: string },
  device: VirtualAuthenticator,
): Promise<BrowserReply> {
  const { options, sealed } = (await browser.post('/do/beginSignInByKey', { pending })).json;
  return browser.post('/do/signInWithKey', { pending, sealed, response: device.get(options) });
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a plain security key completes a sign-in with a password, and only its own account', async () => {
    const { email, browser: own, device } = await withKey(app());
    const { device: foreign } = await withKey(app());
    const begun = await begin(app(), email);
    assert.deepEqual(begun.ways, ['security_key', 'recovery_code']);
    assert.equal((await finish(begun, foreign)).json.code, 'wrong_credentials');

    assert.equal((await finish(begun, device)).status, 204);

    assert.equal((await begun.browser.get('/read/signedIn')).json.account.email, email);
    const [last] = (await own.get('/read/lastSignIns')).json;
    assert.deepEqual([last.with, last.secondFactor], ['password', 'security_key']);
    const [key] = (await own.get('/read/passkeys')).json.passkeys;
    assert.deepEqual([key.kind, key.lastUsed], ['security_key', '2024-03-01T12:00:00+00:00']);
  });

  test('the challenge names the keys of the account, which a plain key cannot find by itself', async () => {
    const { email, device } = await withKey(app());
    const { browser, pending } = await begin(app(), email);

    const { options } = (await browser.post('/do/beginSignInByKey', { pending })).json;

    assert.deepEqual(
      options.allowCredentials.map(({ id }: { id: string }) => id),
      [device.credentialId.toString('base64url')],
    );
    assert.equal(options.userVerification, 'discouraged');
    const nobody = await newBrowser(app()).post('/do/beginSignInByKey', { pending: 'nonsense' });
    assert.equal(nobody.json.code, 'sign_in_expired');
  });

  test('a passkey is asked for beside a password, a link and a code in a mail, and signs in alone', async () => {
    const { email, device } = await withKey(app(), 'passkey');
    const begun = await begin(app(), email);
    assert.equal((await finish(begun, device)).status, 204);
    const asking = newBrowser(app());
    const { pending } = (await asking.post('/do/mailSignIn', { email })).json;
    const sender = new FakeMailSender();
    await post(app(), sender);
    const texts = sender.sent.filter(({ to }) => to === email).map(({ text }) => text);
    const code = /: ([a-z2-9]{4}-[a-z2-9]{4})$/m.exec(texts.join('\n'))?.[1];

    const reply = await asking.post('/do/signInByMailedCode', { pending, code });

    assert.deepEqual(reply.json.secondFactors, ['security_key', 'recovery_code']);
    assert.equal((await finish({ browser: asking, pending: reply.json.pending }, device)).status, 204);
    const alone = newBrowser(app());
    const { options, sealed } = (await alone.post('/do/beginSignInByPasskey')).json;
    const signature = { sealed, response: device.get(options) };
    assert.equal((await alone.post('/do/signInWithPasskey', signature)).status, 204);
  });

  test('a security key does not sign in alone, even if it verifies the person', async () => {
    const { device } = await withKey(app());
    device.verifies = true;
    const browser = newBrowser(app());
    const { options, sealed } = (await browser.post('/do/beginSignInByPasskey')).json;

    const reply = await browser.post('/do/signInWithPasskey', { sealed, response: device.get(options) });

    assert.equal(reply.json.code, 'wrong_credentials');
  });

  test('a device that does not verify the person can be no passkey', async () => {
    const { browser } = await withKey(app());

    assert.equal((await add(browser, 'passkey', newDevice('security_key'))).json.code, 'wrong_credentials');
  });

  test('a signature completes one sign-in, for its own challenge', async () => {
    const { email, device } = await withKey(app());
    const [first, second] = [await begin(app(), email), await begin(app(), email)];
    const { options, sealed } = (await first.browser.post('/do/beginSignInByKey', { pending: first.pending }))
      .json;
    const answer = { sealed, response: device.get(options) };
    const use = ({ browser, pending }: typeof first) =>
      browser.post('/do/signInWithKey', { pending, ...answer });

    assert.equal((await use(first)).status, 204);

    assert.equal((await use(second)).status, 429);
    const passwordless = (await second.browser.post('/do/beginSignInByPasskey')).json;
    const response = device.get(passwordless.options);
    const mixed = { pending: second.pending, sealed: passwordless.sealed, response };
    assert.equal((await second.browser.post('/do/signInWithKey', mixed)).json.code, 'sign_in_expired');
  });

  test('the first factor comes with recovery codes, which stand in for a key', async () => {
    const { email, browser: own, codes } = await withKey(app());
    assert.equal(codes.length, 10);
    assert.equal((await add(own, 'security_key')).json.recoveryCodes, null);
    const { browser, pending } = await begin(app(), email);

    assert.equal((await browser.post(SECOND_FACTOR, { pending, code: codes[0] })).status, 204);

    assert.deepEqual((await own.get('/read/secondFactors')).json, {
      authenticator: null,
      passkeys: 0,
      securityKeys: 2,
      count: 2,
      recoveryCodesLeft: 9,
      recoveryCodesMade: 10,
    });
  });

  test('with an app and a key, either completes a sign-in, and recovery codes go with the last of them', async () => {
    const { email, browser: own, device } = await withKey(app());
    const { secret, sealed } = (await own.post('/do/beginAuthenticator')).json;
    const added = { sealed, code: totpCode(secret, app().clock.now()) };
    assert.equal((await own.post('/do/addAuthenticator', added)).json.recoveryCodes, null);
    app().clock.advance({ seconds: 60 });
    const [first, second] = [await begin(app(), email), await begin(app(), email)];
    assert.deepEqual(first.ways, ['totp', 'security_key', 'recovery_code']);

    assert.equal((await finish(first, device)).status, 204);
    const code = totpCode(secret, app().clock.now());
    assert.equal((await second.browser.post(SECOND_FACTOR, { pending: second.pending, code })).status, 204);

    const left = async () => (await own.get('/read/secondFactors')).json.recoveryCodesLeft;
    assert.equal((await own.post('/do/removeAuthenticator')).status, 204);
    assert.equal(await left(), 10);
    const [{ uuid }] = (await own.get('/read/passkeys')).json.passkeys;
    assert.equal((await own.post('/do/removePasskey', { passkey: uuid })).status, 204);
    assert.equal(await left(), 0);
    assert.equal((await newBrowser(app()).signIn(email)).status, 204);
  });

  test('a security key is a proof of identity for its own session', async () => {
    const { browser, device } = await withKey(app());
    const { device: foreign } = await withKey(app());
    app().clock.advance({ minutes: 31 });
    const confirm = async (one: VirtualAuthenticator) => {
      const { options, sealed } = (await browser.post('/do/beginConfirmationByKey')).json;
      return (await browser.post('/do/confirmByKey', { sealed, response: one.get(options) })).status;
    };
    assert.equal((await browser.get('/account/export')).json.code, 'confirmation_required');

    assert.equal(await confirm(foreign), 403);
    assert.equal(await confirm(device), 204);

    assert.equal((await browser.get('/account/export')).status, 200);
  });

  test('with a key the password confirms nothing, and a recovery code does', async () => {
    for (const kind of ['security_key', 'passkey'] as const) {
      const { browser, codes } = await withKey(app(), kind);
      app().clock.advance({ minutes: 31 });
      const [{ uuid }] = (await browser.get('/read/passkeys')).json.passkeys;
      const remove = () => browser.post('/do/removePasskey', { passkey: uuid });
      assert.deepEqual((await browser.get('/read/confirmationWays')).json, ['passkey', 'recovery_code']);

      const reply = await browser.post('/do/confirmByPassword', { password: PASSWORD });

      assert.equal(reply.json.code, 'stronger_proof_exists');
      assert.equal((await remove()).json.code, 'confirmation_required');
      assert.equal((await browser.post('/do/confirmByCode', { code: codes[0] })).status, 204);
      assert.equal((await remove()).status, 204);
    }
  });

  test('wrong keys are told to the owner, as wrong codes are', async () => {
    const { email } = await withKey(app());
    const { device: foreign } = await withKey(app());
    const begun = await begin(app(), email);
    for (let n = 0; n < 5; n++) assert.equal((await finish(begun, foreign)).status, 403);

    const sender = new FakeMailSender();
    await post(app(), sender);

    const told = sender.sent.filter(({ to }) => to === email).map(({ subject }) => subject);
    assert.ok(told.includes('Wrong second factors were entered on Tocsin'));
  });

  test('a passkey that confirms has to verify the person', async () => {
    const { browser, device } = await withKey(app(), 'passkey');
    device.verifies = false;
    const { options, sealed } = (await browser.post('/do/beginConfirmationByKey')).json;

    const reply = await browser.post('/do/confirmByKey', { sealed, response: device.get(options) });

    assert.equal(reply.json.code, 'wrong_credentials');
  });
});
