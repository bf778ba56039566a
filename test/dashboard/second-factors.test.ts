import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowedOnAccount } from '../../src/domain/people/permission.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { totpCode } from '../../src/lib/totp.ts';
import { createVault } from '../../src/lib/vault.ts';
import { resealAll } from '../../src/services/instance/secret-rotation.ts';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import { FakeMailSender, post } from '../account-mails.ts';
import { sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { TEST_SECRET } from '../node-parts.ts';
import { type Browser, givenAccount, newBrowser, PASSWORD } from './browser.ts';
import { endpointsOf } from './endpoints.ts';

const SECOND_FACTOR = '/do/signInWithCode';

/** Somebody with an app, whose secret this is. */
interface Person {
  readonly email: string;
  readonly browser: Browser;
  readonly secret: string;
}

async function withAuthenticator(app: TestApp): Promise<Person> {
  const { email } = await givenAccount(app);
  const browser = newBrowser(app);
  await browser.signIn(email);
  const { secret, sealed } = (await browser.post('/do/beginAuthenticator')).json;
  const code = totpCode(secret, app.clock.now());
  assert.equal((await browser.post('/do/addAuthenticator', { sealed, code })).status, 200);
  // The code that was just used does not work again.
  app.clock.advance({ seconds: 60 });
  return { email, browser, secret };
}

async function begin(app: TestApp, email: string): Promise<{ browser: Browser; pending: string }> {
  const browser = newBrowser(app);
  const reply = await browser.signIn(email);
  assert.equal(reply.status, 200);
  assert.deepEqual(reply.setCookies, []);
  return { browser, pending: reply.json.pending };
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { requiresSecondFactor: true });

  test('where everybody needs a second factor, people without one reach only what adds one', async () => {
    const { id, email } = await givenAccount(app());
    const { project } = await app().givenProject({ ownerId: id });
    const alice = newBrowser(app());
    assert.equal((await alice.signIn(email)).status, 204);
    assert.equal((await alice.get('/read/signedIn')).json.session.needsSecondFactor, true);
    const paths = [
      '/read/ownProjects',
      `/projects/${project.uuid}/read/project`,
      '/read/openSessions',
      '/account/export',
    ];
    for (const path of paths) {
      const refused = await alice.get(path);
      assert.equal(refused.status, 403, path);
      assert.deepEqual(refused.json, {
        error: 'Add a second factor to your account first.',
        code: 'second_factor_required',
      });
    }
    const renamed = await alice.post('/do/editAccount', { name: 'Alice' });
    assert.equal(renamed.json.code, 'second_factor_required');

    const { secret, sealed } = (await alice.post('/do/beginAuthenticator')).json;
    const code = totpCode(secret, app().clock.now());
    assert.equal((await alice.post('/do/addAuthenticator', { sealed, code })).status, 200);

    assert.equal((await alice.get('/read/signedIn')).json.session.needsSecondFactor, false);
    for (const path of paths) assert.equal((await alice.get(path)).status, 200, path);
    assert.equal((await alice.post('/do/removeAuthenticator')).status, 204);
    assert.equal((await alice.get('/read/ownProjects')).json.code, 'second_factor_required');
  });

  test('somebody who lacks it, even an administrator, reaches exactly what the table gives them', async () => {
    const alice = newBrowser(app());
    await alice.signIn((await givenAccount(app(), { isAdmin: true })).email);
    const session = { kind: 'session', sessionId: 0, isConfirmed: true } as const;
    const caller = { ...session, lacksSecondFactor: true, isAdmin: true };
    const reached: string[] = [];
    for (const { method, path, permission, inProject } of endpointsOf(app())) {
      if (permission === null && inProject === null) continue;
      const reply = await alice.send(method, path, method === 'POST' ? 'no JSON' : undefined);

      const isRefused = reply.text !== '' && reply.json.code === 'second_factor_required';
      const isAllowed = permission !== null && isAllowedOnAccount(caller, permission);
      assert.equal(!isRefused, isAllowed, `${method} ${path}: ${reply.status}`);
      if (permission !== null && isAllowed) reached.push(permission);
    }
    assert.deepEqual(new Set(reached), new Set(['account.view', 'second_factors.edit']));
  });

  test('adding it needs a recent proof there, too', async () => {
    const alice = newBrowser(app());
    await alice.signIn((await givenAccount(app())).email);
    app().clock.advance({ minutes: 31 });
    const begin = () => alice.post('/do/beginAuthenticator');
    assert.equal((await begin()).json.code, 'confirmation_required');

    assert.equal((await alice.post('/do/confirmByPassword', { password: PASSWORD })).status, 204);

    assert.equal((await begin()).status, 200);
  });
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('an app is turned on by its first code, and is then listed', async () => {
    const { email } = await givenAccount(app());
    const alice = newBrowser(app());
    await alice.signIn(email);
    const { secret, sealed, uri } = (await alice.post('/do/beginAuthenticator')).json;
    assert.match(uri, /^otpauth:\/\/totp\/Tocsin:/);

    const wrong = await alice.post('/do/addAuthenticator', { sealed, code: '000000' });
    assert.equal(wrong.status, 403);
    assert.deepEqual(wrong.json, {
      error: 'The code you entered was incorrect.',
      code: 'wrong_credentials',
      field: 'code',
    });
    assert.equal((await alice.get('/read/secondFactors')).json.authenticator, null);
    const code = totpCode(secret, app().clock.now());
    const added = await alice.post('/do/addAuthenticator', { sealed, code });

    assert.equal(added.status, 200);
    assert.equal(added.json.recoveryCodes.length, 10);
    assert.deepEqual((await alice.get('/read/secondFactors')).json, {
      authenticator: { created: '2024-03-01T12:00:00+00:00' },
      passkeys: 0,
      securityKeys: 0,
      count: 1,
      recoveryCodesLeft: 10,
      recoveryCodesMade: 10,
    });
    const again = (await alice.post('/do/beginAuthenticator')).json;
    const second = { sealed: again.sealed, code: totpCode(again.secret, app().clock.now()) };
    assert.equal((await alice.post('/do/addAuthenticator', second)).status, 409);
    const sender = new FakeMailSender();
    await post(app(), sender);
    assert.deepEqual(sender.subjects(), ['Your second factor was changed on Tocsin']);
  });

  test('the secret that a page was given works for its own account, and for half an hour', async () => {
    const [alice, eve] = [newBrowser(app()), newBrowser(app())];
    await alice.signIn((await givenAccount(app())).email);
    await eve.signIn((await givenAccount(app())).email);
    const { secret, sealed } = (await alice.post('/do/beginAuthenticator')).json;
    const add = (browser: Browser, text: string) =>
      browser.post('/do/addAuthenticator', { sealed: text, code: totpCode(secret, app().clock.now()) });

    assert.equal((await add(eve, sealed)).json.code, 'invalid_link');
    assert.equal((await add(alice, 'nonsense')).json.code, 'invalid_link');
    app().clock.advance({ minutes: 30 });
    await alice.post('/do/confirmByPassword', { password: PASSWORD });

    assert.equal((await add(alice, sealed)).json.code, 'invalid_link');
  });

  test('with an app the password alone signs nobody in, and a code completes it', async () => {
    const { email, secret } = await withAuthenticator(app());
    const { browser, pending } = await begin(app(), email);
    assert.equal((await browser.get('/read/signedIn')).status, 401);

    const reply = await browser.post(SECOND_FACTOR, { pending, code: totpCode(secret, app().clock.now()) });

    assert.equal(reply.status, 204);
    assert.equal((await browser.get('/read/signedIn')).json.account.email, email);
  });

  test('a code works once, in any browser', async () => {
    const { email, secret } = await withAuthenticator(app());
    const [first, second] = [await begin(app(), email), await begin(app(), email)];
    const code = totpCode(secret, app().clock.now());
    assert.equal((await first.browser.post(SECOND_FACTOR, { pending: first.pending, code })).status, 204);

    for (const seconds of [29, 31, 30]) {
      app().clock.advance({ seconds });
      const again = await second.browser.post(SECOND_FACTOR, { pending: second.pending, code });

      assert.equal(again.status, 403);
      assert.equal(again.json.field, 'code');
    }
  });

  test('the second proof may come within five minutes, and not after a new password', async () => {
    const { email, secret, browser: own } = await withAuthenticator(app());
    const late = await begin(app(), email);
    const finish = ({ browser, pending }: { browser: Browser; pending: string }) =>
      browser.post(SECOND_FACTOR, { pending, code: totpCode(secret, app().clock.now()) });
    app().clock.advance({ minutes: 5 });
    assert.equal((await finish(late)).json.code, 'sign_in_expired');
    const before = await begin(app(), email);
    assert.equal((await own.post('/do/changePassword', { password: 'a horse of good temper' })).status, 204);

    assert.equal((await finish(before)).json.code, 'sign_in_expired');
    assert.equal((await finish({ ...before, pending: 'nonsense' })).json.code, 'sign_in_expired');
  });

  test('a link in a mail needs the second factor, too', async () => {
    const { email, secret } = await withAuthenticator(app());
    for (const [ask, use, more] of [
      ['/do/mailSignIn', '/do/signInByLink', {}],
      ['/do/mailPasswordLink', '/do/setPasswordByLink', { password: 'a horse of good temper' }],
    ] as const) {
      await newBrowser(app()).post(ask, { email });
      const sender = new FakeMailSender();
      await post(app(), sender);
      const texts = sender.sent.filter(({ to }) => to === email).map(({ text }) => text);
      const token = /\/accounts\/[\w-]+\/#([\w-]{43})$/m.exec(texts.join('\n'))?.[1];
      const browser = newBrowser(app());

      const reply = await browser.post(use, { token, ...more });

      assert.equal(reply.status, 200);
      assert.equal((await browser.get('/read/signedIn')).status, 401);
      app().clock.advance({ seconds: 60 });
      const code = totpCode(secret, app().clock.now());
      assert.equal((await browser.post(SECOND_FACTOR, { pending: reply.json.pending, code })).status, 204);
    }
  });

  test('a recovery code stands in for the app, once, however it is typed', async () => {
    const { email, browser: own } = await withAuthenticator(app());
    const { recoveryCodes: codes } = (await own.post('/do/renewRecoveryCodes')).json;
    assert.equal(codes.length, 10);
    for (const code of codes) assert.match(code, /^([a-z2-9]{4}-){5}[a-z2-9]{4}$/);
    const sign = async (code: string) => {
      const { browser, pending } = await begin(app(), email);
      return (await browser.post(SECOND_FACTOR, { pending, code })).status;
    };

    assert.equal(await sign(codes[0].toUpperCase().replaceAll('-', ' ')), 204);
    assert.equal(await sign(codes[0]), 403);
    assert.equal((await own.get('/read/secondFactors')).json.recoveryCodesLeft, 9);
    await own.post('/do/renewRecoveryCodes');
    assert.equal(await sign(codes[1]), 403);
  });

  test('there are only so many codes a day', async () => {
    const { email, secret } = await withAuthenticator(app());
    const { browser, pending } = await begin(app(), email);
    const shown = [-30, 0, 30].map((off) => totpCode(secret, app().clock.now() + off * 1_000_000));
    const wrong = ['000000', '000001', '000002', '000003'].find((one) => !shown.includes(one));
    for (let n = 0; n < ATTEMPT_RULES.codesPerAccount.maxAttempts; n++)
      assert.equal((await browser.post(SECOND_FACTOR, { pending, code: wrong })).status, 403);

    const refused = await browser.post(SECOND_FACTOR, { pending, code: shown[1] });

    assert.equal(refused.status, 429);
  });

  test('the password alone confirms nothing, and so does not remove the second factor', async () => {
    const { browser } = await withAuthenticator(app());
    app().clock.advance({ minutes: 31 });
    const before = (await browser.get('/read/signedIn')).json.session.confirmedUntil;
    assert.deepEqual((await browser.get('/read/confirmationWays')).json, ['code']);

    for (const password of [PASSWORD, 'wrong horse battery']) {
      const reply = await browser.post('/do/confirmByPassword', { password });

      assert.equal(reply.status, 403);
      assert.deepEqual(reply.json, {
        error: 'Confirm with your app, your passkey, your security key or a recovery code.',
        code: 'stronger_proof_exists',
      });
    }
    assert.equal((await browser.post('/do/mailConfirmationCode')).json.code, 'stronger_proof_exists');
    assert.equal((await browser.post('/do/removeAuthenticator')).json.code, 'confirmation_required');
    assert.equal((await browser.get('/read/signedIn')).json.session.confirmedUntil, before);
  });

  test('a code is a proof of identity for whoever has an app', async () => {
    const { browser, secret } = await withAuthenticator(app());
    app().clock.advance({ minutes: 31 });
    assert.equal((await browser.post('/do/removeAuthenticator')).json.code, 'confirmation_required');

    const code = totpCode(secret, app().clock.now());
    assert.equal((await browser.post('/do/confirmByCode', { code })).status, 204);

    assert.equal((await browser.post('/do/confirmByCode', { code })).status, 403);
    assert.equal((await browser.post('/do/removeAuthenticator')).status, 204);
  });

  test('without the app the password signs in again, and recovery codes are gone', async () => {
    const { email, browser } = await withAuthenticator(app());
    await browser.post('/do/renewRecoveryCodes');

    assert.equal((await browser.post('/do/removeAuthenticator')).status, 204);

    assert.equal((await newBrowser(app()).signIn(email)).status, 204);
    assert.deepEqual((await browser.get('/read/secondFactors')).json, {
      authenticator: null,
      passkeys: 0,
      securityKeys: 0,
      count: 0,
      recoveryCodesLeft: 0,
      recoveryCodesMade: 10,
    });
  });

  test('codes of the app work after a change of the secret key', async () => {
    await using own = await startTestApp(engine);
    const { email, secret } = await withAuthenticator(own);
    const vault = createVault('another secret for tests', systemRandom, [TEST_SECRET]);

    const { authenticators } = await resealAll({ store: own.deps.store, vault });

    assert.equal(authenticators, 1);
    const { id } = (await own.deps.store.accounts.byEmail(email)) ?? assert.fail();
    const stored = await own.deps.store.secondFactors.authenticatorOf(id);
    const alone = createVault('another secret for tests', systemRandom);
    assert.equal(alone.unseal(stored?.sealedSecret ?? ''), secret);
  });
});
