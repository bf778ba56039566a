import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PASSKEYS } from '../../src/domain/people/passkey.ts';
import { signInWithPasskey } from '../../src/services/people/signatures.ts';
import { sharedTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { passkeyRecord } from '../records.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';
import { VirtualAuthenticator } from './virtual-authenticator.ts';

const [ID, ORIGIN] = ['localhost', 'http://localhost:8000'];

async function add(browser: Browser, device: VirtualAuthenticator, name = 'Phone') {
  const { options, sealed } = (await browser.post('/do/beginPasskey')).json;
  return browser.post('/do/addPasskey', { sealed, name, response: device.create(options) });
}

async function signed(browser: Browser, device: VirtualAuthenticator) {
  const { options, sealed } = (await browser.post('/do/beginSignInByPasskey')).json;
  return { sealed, response: device.get(options) };
}

/** Somebody with a passkey, and the device that holds it. */
async function withPasskey(app: TestApp) {
  const account = await givenAccount(app);
  const browser = newBrowser(app);
  await browser.signIn(account.email);
  const device = new VirtualAuthenticator(ID, ORIGIN);
  assert.equal((await add(browser, device)).status, 200);
  return { account, browser, device };
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);
  const withoutMail = sharedTestApp(engine, {}, {}, { hasMail: false });

  test('a key that was removed after its signature was read signs nobody in', async () => {
    const { account, device } = await withPasskey(app());
    const { store } = app().deps;
    const answer = await signed(newBrowser(app()), device);
    const [passkey = assert.fail()] = await store.passkeys.ofAccount(account.id);
    // Like a removal between the reading of the key and the transaction.
    const reads = { ...store.passkeys, byCredentialId: async () => passkey };
    await store.transaction((tx) => tx.passkeys.removeAll(account.id));
    const deps = { ...app().node.accounts, store: Object.assign(Object.create(store), { passkeys: reads }) };
    const client = { address: '192.0.2.1', userAgent: '', device: null };

    await assert.rejects(signInWithPasskey(deps, { client, before: null }, answer), {
      code: 'wrong_credentials',
    });
  });

  test('a passkey is registered with a name and listed', async () => {
    const { browser } = await withPasskey(app());

    const { passkeys } = (await browser.get('/read/passkeys')).json;

    assert.deepEqual(
      passkeys.map((one: object) => ({ ...one, uuid: '' })),
      [{ uuid: '', kind: 'passkey', name: 'Phone', created: '2024-03-01T12:00:00+00:00', lastUsed: null }],
    );
  });

  test('a passkey signs in without an address and without a password', async () => {
    const { account, browser: own, device } = await withPasskey(app());
    const browser = newBrowser(app());
    const { options, sealed } = (await browser.post('/do/beginSignInByPasskey')).json;
    assert.equal(options.rpId, ID);
    assert.equal(options.userVerification, 'required');

    const reply = await browser.post('/do/signInWithPasskey', { sealed, response: device.get(options) });

    assert.equal(reply.status, 204);
    assert.equal((await browser.get('/read/signedIn')).json.account.email, account.email);
    const { passkeys } = (await own.get('/read/passkeys')).json;
    assert.equal(passkeys[0].lastUsed, '2024-03-01T12:00:00+00:00');
  });

  test('an answer works once, for its own challenge, within five minutes', async () => {
    const { device } = await withPasskey(app());
    const browser = newBrowser(app());
    const first = await signed(browser, device);
    assert.equal((await browser.post('/do/signInWithPasskey', first)).status, 204);

    assert.equal((await newBrowser(app()).post('/do/signInWithPasskey', first)).status, 429);
    const other = (await browser.post('/do/beginSignInByPasskey')).json;
    const mixed = { sealed: other.sealed, response: first.response };
    assert.equal((await browser.post('/do/signInWithPasskey', mixed)).json.code, 'wrong_credentials');
    const late = await signed(browser, device);
    app().clock.advance({ minutes: 5 });
    assert.equal((await browser.post('/do/signInWithPasskey', late)).json.code, 'sign_in_expired');
  });

  test('a key gets another name, and nobody else names it', async () => {
    const { browser } = await withPasskey(app());
    const [{ uuid }] = (await browser.get('/read/passkeys')).json.passkeys;
    const { browser: mallory } = await withPasskey(app());

    assert.equal(
      (await browser.post('/do/renamePasskey', { passkey: uuid, name: ' Blue key ' })).status,
      204,
    );
    assert.equal((await mallory.post('/do/renamePasskey', { passkey: uuid, name: 'Mine' })).status, 404);

    const [{ name }] = (await browser.get('/read/passkeys')).json.passkeys;
    assert.equal(name, 'Blue key');
    const [act] = (await browser.post('/read/ownActs', { cursor: '' })).json.acts;
    assert.deepEqual(
      [act.action, act.details],
      ['passkey.renamed', { before: { name: 'Phone' }, after: { name: 'Blue key' } }],
    );
  });

  test('the last way to sign in stays', async () => {
    const { account, browser } = await withPasskey(withoutMail());
    const [{ uuid }] = (await browser.get('/read/passkeys')).json.passkeys;
    assert.equal((await browser.get('/read/passkeys')).json.lastWayIn, null);
    await withoutMail().deps.store.transaction((tx) => tx.accounts.save({ ...account, passwordHash: null }));

    assert.equal((await browser.get('/read/passkeys')).json.lastWayIn, uuid);
    const reply = await browser.post('/do/removePasskey', { passkey: uuid });

    assert.deepEqual([reply.status, reply.json.code], [409, 'last_way_in']);
  });

  test('a device that is copied, unknown, of another site, or does not verify the person is refused', async () => {
    const { device } = await withPasskey(app());
    const elsewhere = new VirtualAuthenticator(ID, 'https://evil.example');
    const refused = async (one: VirtualAuthenticator) => {
      const browser = newBrowser(app());
      const reply = await browser.post('/do/signInWithPasskey', await signed(browser, one));
      assert.equal(reply.status, 403);
      assert.deepEqual(reply.json, { error: 'The passkey was not accepted.', code: 'wrong_credentials' });
    };
    const use = async () => {
      const browser = newBrowser(app());
      return (await browser.post('/do/signInWithPasskey', await signed(browser, device))).status;
    };
    assert.equal(await use(), 204);

    await refused(new VirtualAuthenticator(ID, ORIGIN));
    device.counter = 0;
    await refused(device);
    device.counter = 10;
    device.verifies = false;
    await refused(device);
    device.verifies = true;
    assert.equal(await use(), 204);
    const alice = newBrowser(app());
    await alice.signIn((await givenAccount(app())).email);
    assert.equal((await add(alice, elsewhere)).json.code, 'wrong_credentials');
  });

  test('answers that are no answers are refused, and nothing breaks', async () => {
    const { browser, device } = await withPasskey(app());
    for (const response of [
      {},
      { id: 7 },
      { id: 'x\u0000' },
      { id: device.credentialId.toString('base64url') },
    ]) {
      const { sealed } = (await browser.post('/do/beginSignInByPasskey')).json;
      assert.equal((await newBrowser(app()).post('/do/signInWithPasskey', { sealed, response })).status, 403);
      const began = (await browser.post('/do/beginPasskey')).json;
      const reply = await browser.post('/do/addPasskey', { sealed: began.sealed, name: 'x', response });
      assert.equal(reply.status, 403);
    }
    const { sealed } = (await browser.post('/do/beginSignInByPasskey')).json;
    assert.equal((await browser.post('/do/signInWithPasskey', { sealed, response: [] })).status, 400);
  });

  test('a challenge for one account registers no passkey for another', async () => {
    const { browser: alice } = await withPasskey(app());
    const eve = newBrowser(app());
    await eve.signIn((await givenAccount(app())).email);
    const { options, sealed } = (await alice.post('/do/beginPasskey')).json;
    const response = new VirtualAuthenticator(ID, ORIGIN).create(options);

    assert.equal((await eve.post('/do/addPasskey', { sealed, name: 'x', response })).status, 403);
  });

  test('a passkey is a proof of identity for its own account', async () => {
    const { browser, device } = await withPasskey(app());
    const { device: foreign } = await withPasskey(app());
    app().clock.advance({ minutes: 31 });
    const confirm = async (one: VirtualAuthenticator) => {
      const { options, sealed } = (await browser.post('/do/beginConfirmationByKey')).json;
      return (await browser.post('/do/confirmByKey', { sealed, response: one.get(options) })).status;
    };
    assert.equal((await browser.post('/do/beginPasskey')).json.code, 'confirmation_required');

    assert.equal(await confirm(foreign), 403);
    assert.equal(await confirm(device), 204);

    assert.equal((await browser.post('/do/beginPasskey')).status, 200);
  });

  test('a passkey that is removed signs nobody in, and nobody removes one of somebody else', async () => {
    const { browser, device } = await withPasskey(app());
    const { browser: eve } = await withPasskey(app());
    const { uuid } = (await browser.get('/read/passkeys')).json.passkeys[0];

    assert.equal((await eve.post('/do/removePasskey', { passkey: uuid })).status, 404);
    assert.equal((await browser.post('/do/removePasskey', { passkey: uuid })).status, 204);

    const stranger = newBrowser(app());
    assert.equal((await stranger.post('/do/signInWithPasskey', await signed(stranger, device))).status, 403);
  });

  test('an account has only so many passkeys', async () => {
    const { account, browser } = await withPasskey(app());
    await app().deps.store.transaction(async (tx) => {
      for (let n = 1; n < MAX_PASSKEYS; n++) await tx.passkeys.insert(passkeyRecord(account.id));
    });

    const reply = await add(browser, new VirtualAuthenticator(ID, ORIGIN));

    assert.equal(reply.status, 403);
    assert.equal(reply.json.code, 'passkey_limit_reached');
  });
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { passkeySite: null });

  test('where browsers offer no passkeys there are none', async () => {
    assert.equal((await newBrowser(app()).post('/do/beginSignInByPasskey')).status, 404);
    assert.equal((await newBrowser(app()).get('/read/entrance')).json.hasPasskeys, false);
  });
});
