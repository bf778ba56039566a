import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import type { Writer } from '../../src/storage/driver.ts';
import { SqlAttemptLimits } from '../../src/storage/sql/attempt-limits.ts';
import { SITE, sharedTestApp, startTestApp } from '../app.ts';
import { forOneEngine, openTestDriver } from '../engines.ts';
import { someoneWaits } from '../postgres-locks.ts';
import { until } from '../waiting.ts';
import { Browser, givenAccount, newBrowser, PASSWORD } from './browser.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);
  const browser = () => newBrowser(app());

  test('the right password signs in, with a cookie that no script reads', async () => {
    const account = await givenAccount(app());
    const alice = browser();

    const reply = await alice.signIn(account.email);

    assert.equal(reply.status, 204);
    const session = reply.setCookies.find((cookie) => cookie.startsWith('tocsin_session='));
    assert.match(
      session ?? '',
      /^tocsin_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const shown = await alice.get('/read/signedIn');
    assert.equal(shown.status, 200);
    assert.deepEqual(shown.json.account, {
      uuid: account.uuid,
      email: account.email,
      name: '',
      isAdmin: false,
    });
  });

  test('nothing of a token is stored but its digest', async () => {
    const account = await givenAccount(app());
    const alice = browser();
    await alice.signIn(account.email);

    const [session] = await app().deps.store.sessions.ofAccount(account.id);

    const token = alice.cookies.get('tocsin_session') ?? assert.fail();
    assert.ok(!JSON.stringify(session).includes(token));
    assert.match(session?.tokenDigest ?? '', /^[0-9a-f]{64}$/);
  });

  test('the address may be written in capitals', async () => {
    const account = await givenAccount(app());

    const reply = await browser().signIn(` ${account.email.toUpperCase()} `);

    assert.equal(reply.status, 204);
  });

  test('a wrong password, an unknown address and an account without a password get the same answer', async () => {
    const account = await givenAccount(app());
    const invited = await givenAccount(app(), { passwordHash: null });

    const replies = [
      await browser().signIn(account.email, 'wrong horse battery'),
      await browser().signIn('nobody@example.org'),
      await browser().signIn(invited.email),
      await browser().signIn(invited.email, ''),
    ];

    for (const { status, json, setCookies } of replies) {
      assert.equal(status, 403);
      assert.deepEqual(json, { error: 'Incorrect email or password.', code: 'wrong_credentials' });
      assert.deepEqual(setCookies, []);
    }
  });

  test('an unknown address takes the same work as a known one', async () => {
    const worked: (string | null)[] = [];
    const { passwords } = app().node.accounts;
    const verify = passwords.verify.bind(passwords);
    passwords.verify = (password, hash, requester) => {
      worked.push(hash);
      return verify(password, hash, requester);
    };
    try {
      await browser().signIn('nobody@example.org');
    } finally {
      passwords.verify = verify;
    }

    assert.deepEqual(worked, [null]);
    assert.equal(await verify('', null, { network: '', isKnown: true }), false);
  });

  test('faults of the form are told with their field, before anything is tried', async () => {
    const faults: [unknown, string, string][] = [
      [{ password: PASSWORD }, 'email', 'email is missing'],
      [{ email: 'a@example.org' }, 'password', 'password is missing'],
      [{ email: 7, password: PASSWORD }, 'email', 'email is not a string'],
      [{ email: 'nonsense', password: PASSWORD }, 'email', 'email is not a valid e-mail address'],
      [{ email: 'a@example.org', password: 'x'.repeat(1_001) }, 'password', 'password is too long'],
      [{ email: 'a\u0000@example.org', password: PASSWORD }, 'email', 'email is not a string'],
    ];
    for (const [body, field, error] of faults) {
      const reply = await browser().post('/do/signInWithPassword', body);

      assert.equal(reply.status, 400);
      assert.deepEqual(reply.json, { error, code: 'invalid_field', field });
    }
    const noJson = await browser().post('/do/signInWithPassword', '{"email":');
    assert.equal(noJson.status, 400);
    assert.equal(noJson.json.code, 'invalid_body');
  });

  test('a sign-in is recorded with its address, and never with a secret', async () => {
    const account = await givenAccount(app());
    const alice = browser();
    await alice.signIn(account.email);

    const [act, ...others] = await app().deps.store.auditLog.ofAccount(account.id, 1e15, 10);

    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...act, id: 0 },
      {
        id: 0,
        createdAt: app().clock.now(),
        accountId: account.id,
        actor: account.email,
        means: 'session',
        remoteAddr: alice.address,
        projectId: null,
        action: 'account.signed_in',
        subject: { kind: 'account', id: account.uuid, name: account.email },
        details: { with: 'password', user_agent: 'Firefox' },
      },
    );
  });

  test('signing in again in the same browser ends the session that it had', async () => {
    const [alice, bob] = [await givenAccount(app()), await givenAccount(app())];
    const shared = browser();
    await shared.signIn(alice.email);
    const first = shared.cookies.get('tocsin_session');

    await shared.signIn(bob.email);

    assert.notEqual(shared.cookies.get('tocsin_session'), first);
    assert.equal((await app().deps.store.sessions.ofAccount(alice.id)).length, 0);
    assert.equal((await shared.get('/read/signedIn')).json.account.email, bob.email);
  });

  test('signing out ends the session, also for whoever has copied the cookie', async () => {
    const account = await givenAccount(app());
    const alice = browser();
    await alice.signIn(account.email);
    const thief = browser();
    for (const [name, value] of alice.cookies) thief.cookies.set(name, value);

    const reply = await alice.post('/do/signOut');

    assert.equal(reply.status, 204);
    assert.match(reply.setCookies[0] ?? '', /^tocsin_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.equal((await thief.get('/read/signedIn')).status, 401);
    assert.equal((await alice.post('/do/signOut')).status, 204);
  });

  test('an account takes only so many wrong passwords a day from browsers that it does not know', async () => {
    const account = await givenAccount(app());
    const { maxAttempts } = ATTEMPT_RULES.passwordsPerAccount;
    assert.equal(maxAttempts, 20);
    for (let n = 0; n < maxAttempts; n++) await browser().signIn(account.email, 'wrong horse battery');

    const refused = await browser().signIn(account.email);

    assert.equal(refused.status, 429);
    assert.equal(refused.json.code, 'other_way_needed');
    assert.equal(refused.headers['retry-after'], '4320');
    app().clock.advance({ seconds: 4320 });
    assert.equal((await browser().signIn(account.email)).status, 204);
  });

  test('the limit is the same for an address that has no account', async () => {
    const { maxAttempts } = ATTEMPT_RULES.passwordsPerAccount;
    const email = `nobody-${engine}@example.org`;
    for (let n = 0; n < maxAttempts; n++) assert.equal((await browser().signIn(email)).status, 403);

    assert.equal((await browser().signIn(email)).status, 429);
  });

  test('strangers cannot lock out a browser that was signed in before', async () => {
    const account = await givenAccount(app());
    const owner = browser();
    await owner.signIn(account.email);
    await owner.post('/do/signOut');
    const { maxAttempts } = ATTEMPT_RULES.passwordsPerAccount;
    for (let n = 0; n < maxAttempts; n++) await browser().signIn(account.email, 'wrong horse battery');
    assert.equal((await browser().signIn(account.email)).status, 429);

    assert.equal((await owner.signIn(account.email)).status, 204);
  });

  test('a known browser is known to its own account only', async () => {
    const [alice, bob] = [await givenAccount(app()), await givenAccount(app())];
    const known = browser();
    await known.signIn(alice.email);
    const { maxAttempts } = ATTEMPT_RULES.passwordsPerAccount;
    for (let n = 0; n < maxAttempts; n++) await browser().signIn(bob.email, 'wrong horse battery');

    assert.equal((await known.signIn(bob.email)).status, 429);
  });

  test('a known browser has attempts of its own, and then those of a stranger', async () => {
    const account = await givenAccount(app());
    const owner = browser();
    await owner.signIn(account.email);
    const all = ATTEMPT_RULES.passwordsPerDevice.maxAttempts + ATTEMPT_RULES.passwordsPerAccount.maxAttempts;
    // One attempt of a stranger was the first sign-in.
    for (let n = 0; n < all - 1; n++)
      assert.equal((await owner.signIn(account.email, 'wrong horse battery')).status, 403);

    assert.equal((await owner.signIn(account.email)).status, 429);
  });

  test('a network takes only so many passwords an hour, and those count for no account', async () => {
    const account = await givenAccount(app());
    const attacker = browser();
    const { maxAttempts } = ATTEMPT_RULES.passwordsPerNetwork;
    const { passwords } = app().node.accounts;
    const verify = passwords.verify.bind(passwords);
    passwords.verify = async () => false;
    for (let n = 0; n < maxAttempts; n++) await attacker.signIn(`${engine}-${n}@example.org`);
    passwords.verify = verify;

    assert.equal((await attacker.signIn(account.email)).status, 429);
    assert.equal((await browser().signIn(account.email)).status, 204);
  });

  test('attempts that are refused reach neither the database nor a hash', async () => {
    const account = await givenAccount(app());
    const { maxAttempts } = ATTEMPT_RULES.passwordsPerAccount;
    const { passwords, attempts } = app().node.accounts;
    for (let n = 0; n < maxAttempts; n++) await browser().signIn(account.email, 'wrong horse battery');
    const { store } = app().deps;
    const transaction = store.transaction;
    const verify = passwords.verify.bind(passwords);
    let work = 0;
    Object.assign(store, {
      transaction: (run: Parameters<typeof transaction>[0]) => {
        work++;
        return transaction(run);
      },
    });
    passwords.verify = async () => {
      work++;
      return false;
    };
    try {
      for (let n = 0; n < 1_000; n++) {
        await assert.rejects(attempts.take([{ rule: 'passwordsPerAccount', subject: account.email }]));
      }
      assert.equal((await browser().signIn(account.email)).status, 429);
    } finally {
      Object.assign(store, { transaction });
      passwords.verify = verify;
    }

    assert.equal(work, 0);
  });
});

test('a wrong password is logged with its address, and without what was typed', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  await using app = await startTestApp('sqlite', {}, { log });
  const { email } = await givenAccount(app);
  const browser = newBrowser(app);

  await browser.signIn(email, 'wrong horse battery');
  await browser.signIn(email);

  const [line, ...others] = lines;
  assert.deepEqual(others, []);
  assert.match(line ?? '', /"event":"sign_in\.refused"/);
  assert.ok(line?.includes(browser.address));
  assert.ok(!line?.includes(email) && !line?.includes('horse'));
});

test('a password that is changed while somebody signs in with the old one opens no session', async () => {
  await using app = await startTestApp('postgres');
  await using driver = await openTestDriver(app.database);
  const { id, email } = await givenAccount(app);
  const eve = newBrowser(app);

  const reply = await app.deps.store.transaction(async (tx) => {
    const account = (await tx.accounts.lock(id)) ?? assert.fail();
    await tx.accounts.save({ ...account, passwordHash: null });
    await tx.sessions.endOthers(id, null);
    let isOver = false;
    const signingIn = eve.signIn(email).finally(() => {
      isOver = true;
    });
    await until('she is signed in or waits', async () => isOver || (await someoneWaits(driver)));
    return { signingIn };
  });

  assert.equal((await reply.signingIn).json.code, 'wrong_credentials');
  assert.deepEqual(await app.deps.store.sessions.ofAccount(id), []);
});

test('an attempt is counted, even if its key is forgotten at the same moment', async () => {
  await using app = await startTestApp('postgres');
  await using driver = await openTestDriver(app.database);
  const { store } = app.deps;
  const key = 'the key of a rule';
  await store.transaction((tx) => tx.attemptLimits.lock(key));

  await driver.transaction(async (tx) => {
    // Whatever was sent before has arrived when the key is forgotten.
    const forget = async () => {
      await tx.all('select 1');
      await store.transaction((other) => other.attemptLimits.prune(0, 1));
    };
    const all: Writer['all'] = async (sql, params) => {
      await forget();
      return tx.all(sql, params);
    };
    const limits = new SqlAttemptLimits(Object.assign(Object.create(tx), { all }), driver.dialect);
    await limits.lock(key);
    await limits.save(key, 7);
  });

  assert.equal(await store.transaction((tx) => tx.attemptLimits.lock(key)), 7);
});

test('where the site is https, cookies go by https only and belong to this host alone', async () => {
  await using app = await startTestApp(
    'sqlite',
    {},
    { site: { ...SITE, root: 'https://tocsin.example.org' } },
  );
  const account = await givenAccount(app);
  const browser = new Browser(app);

  const reply = await browser.send(
    'POST',
    '/do/signInWithPassword',
    { email: account.email, password: PASSWORD },
    { origin: 'https://tocsin.example.org' },
  );

  assert.equal(reply.setCookies.length, 2);
  // No header of a proxy said that the connection was one of TLS.
  assert.equal((await browser.get('/read/signedIn')).status, 200);
  for (const cookie of reply.setCookies)
    assert.match(cookie, /^__Host-tocsin_\w+=\S+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
});
