import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_SESSIONS } from '../../src/domain/people/session.ts';
import { totpCode } from '../../src/lib/totp.ts';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import { pruneSessions } from '../../src/services/people/sessions.ts';
import { SITE, sharedTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { sessionRecord } from '../records.ts';
import { Browser, givenAccount, newBrowser, PASSWORD } from './browser.ts';

async function signedIn(app: TestApp, email: string, userAgent = 'Firefox'): Promise<Browser> {
  const browser = new Browser(app, { address: `198.51.100.${++addresses % 250}`, userAgent });
  assert.equal((await browser.signIn(email)).status, 204);
  return browser;
}
let addresses = 0;

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('people see their own last sign-ins, also those whose session has ended', async () => {
    const [{ email }, other] = [await givenAccount(app()), await givenAccount(app())];
    await newBrowser(app()).signIn(other.email);
    const first = new Browser(app(), { address: '198.51.100.20', userAgent: 'Lynx' });
    await first.signIn(email);
    await first.post('/do/signOut');
    app().clock.advance({ minutes: 5 });
    const second = new Browser(app(), { address: '198.51.100.21', userAgent: 'Firefox' });
    await second.signIn(email);

    const reply = await second.get('/read/lastSignIns');

    assert.deepEqual(reply.json, [
      {
        at: '2024-03-01T12:05:00+00:00',
        address: '198.51.100.21',
        userAgent: 'Firefox',
        with: 'password',
        secondFactor: null,
      },
      {
        at: '2024-03-01T12:00:00+00:00',
        address: '198.51.100.20',
        userAgent: 'Lynx',
        with: 'password',
        secondFactor: null,
      },
    ]);
  });

  test('without a session, with a wrong one and with an empty one nobody is signed in', async () => {
    const stranger = new Browser(app());
    for (const token of [null, 'x', '', 'é\u0000']) {
      if (token !== null) stranger.cookies.set('tocsin_session', token);

      const reply = await stranger.get('/read/signedIn');

      assert.equal(reply.status, 401);
      assert.deepEqual(reply.json, { error: 'sign in first', code: 'not_signed_in' });
    }
  });

  test('what people see stays in no cache and is no resource for other sites', async () => {
    const alice = await signedIn(app(), (await givenAccount(app())).email);

    const { headers } = await alice.get('/read/signedIn');

    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(headers['access-control-allow-origin'], undefined);
  });

  test('a session ends when it was not used for two weeks', async () => {
    const alice = await signedIn(app(), (await givenAccount(app())).email);

    app().clock.advance({ days: 13 });
    assert.equal((await alice.get('/read/signedIn')).status, 200);
    app().clock.advance({ days: 13 });
    assert.equal((await alice.get('/read/signedIn')).status, 200);
    app().clock.advance({ days: 14 });

    assert.equal((await alice.get('/read/signedIn')).status, 401);
  });

  test('a session ends after ninety days, even if it is in use', async () => {
    const alice = await signedIn(app(), (await givenAccount(app())).email);
    for (let day = 10; day < 90; day += 10) {
      app().clock.advance({ days: 10 });
      assert.equal((await alice.get('/read/signedIn')).status, 200);
    }

    app().clock.advance({ days: 10 });

    assert.equal((await alice.get('/read/signedIn')).status, 401);
  });

  test('the last use is written at most once a minute', async () => {
    const account = await givenAccount(app());
    const alice = await signedIn(app(), account.email);
    const lastSeen = async () => (await app().deps.store.sessions.ofAccount(account.id))[0]?.lastSeenAt;
    const start = app().clock.now();

    app().clock.advance({ seconds: 59 });
    await alice.get('/read/signedIn');
    assert.equal(await lastSeen(), start);
    app().clock.advance({ seconds: 1 });
    await alice.get('/read/signedIn');

    assert.equal(await lastSeen(), app().clock.now());
  });

  test('sessions are listed with device, address and last use, the own one marked', async () => {
    const account = await givenAccount(app());
    const phone = await signedIn(app(), account.email, 'Phone');
    app().clock.advance({ hours: 1 });
    const laptop = await signedIn(app(), account.email, `Laptop ${'x'.repeat(400)}`);

    const { json } = await laptop.get('/read/openSessions');

    assert.equal(json.length, 2);
    const [first, second] = json;
    assert.equal(first.isCurrent, true);
    assert.equal(first.userAgent.length, 300);
    assert.deepEqual(
      { ...second, uuid: '' },
      {
        uuid: '',
        isCurrent: false,
        created: '2024-03-01T12:00:00+00:00',
        lastSeen: '2024-03-01T12:00:00+00:00',
        address: phone.address,
        userAgent: 'Phone',
      },
    );
  });

  test('one session can be ended, and its browser is out at once', async () => {
    const account = await givenAccount(app());
    const [phone, laptop] = [await signedIn(app(), account.email), await signedIn(app(), account.email)];
    const uuid = (await phone.get('/read/signedIn')).json.session.uuid;

    assert.equal((await laptop.post('/do/endSession', { session: uuid })).status, 204);

    assert.equal((await phone.get('/read/signedIn')).status, 401);
    assert.equal((await laptop.get('/read/signedIn')).status, 200);
    const again = await laptop.post('/do/endSession', { session: uuid });
    assert.equal(again.status, 404);
    assert.deepEqual(again.json, { error: 'session not found', code: 'session_not_found' });
  });

  test('ending sessions needs a recent proof of identity, and signing out does not', async () => {
    const { email } = await givenAccount(app());
    const [alice, other] = [newBrowser(app()), newBrowser(app())];
    await alice.signIn(email);
    await other.signIn(email);
    app().clock.advance({ minutes: 31 });
    assert.equal((await alice.post('/do/endOtherSessions')).json.code, 'confirmation_required');
    await alice.post('/do/confirmByPassword', { password: PASSWORD });

    assert.deepEqual((await alice.post('/do/endOtherSessions')).json, { ended: 1 });
    const { acts } = (await alice.get('/account/export')).json;
    assert.deepEqual(
      acts.slice(0, 2).map(({ action, details }: { action: string; details: object }) => [action, details]),
      [
        ['sessions.ended', { count: 1 }],
        ['account.confirmed', { with: 'password' }],
      ],
    );

    app().clock.advance({ minutes: 31 });
    assert.equal((await alice.post('/do/signOut')).status, 204);
  });

  test('nobody ends a session of somebody else', async () => {
    const alice = await signedIn(app(), (await givenAccount(app())).email);
    const mallory = await signedIn(app(), (await givenAccount(app())).email);
    const uuid = (await alice.get('/read/signedIn')).json.session.uuid;

    assert.equal((await mallory.post('/do/endSession', { session: uuid })).status, 404);

    assert.equal((await alice.get('/read/signedIn')).status, 200);
  });

  test('all other sessions can be ended together', async () => {
    const account = await givenAccount(app());
    const others = [await signedIn(app(), account.email), await signedIn(app(), account.email)];
    const stranger = await signedIn(app(), (await givenAccount(app())).email);
    const own = await signedIn(app(), account.email);

    const reply = await own.post('/do/endOtherSessions');

    assert.deepEqual(reply.json, { ended: 2 });
    for (const other of others) assert.equal((await other.get('/read/signedIn')).status, 401);
    assert.equal((await own.get('/read/signedIn')).status, 200);
    assert.equal((await stranger.get('/read/signedIn')).status, 200);
  });

  test('an account has only so many sessions: the one not used for longest ends', async () => {
    const account = await givenAccount(app());
    const first = await signedIn(app(), account.email);
    const digests = Array.from({ length: MAX_SESSIONS - 1 }, (_, n) => `${engine} ${account.uuid} ${n}`);
    await app().deps.store.transaction(async (tx) => {
      for (const tokenDigest of digests)
        await tx.sessions.insert(
          sessionRecord(account.id, { tokenDigest, lastSeenAt: app().clock.now() + 1 }),
        );
    });
    assert.equal((await first.get('/read/signedIn')).status, 200);

    app().clock.advance({ seconds: 2 });
    await signedIn(app(), account.email);

    assert.equal((await app().deps.store.sessions.ofAccount(account.id)).length, MAX_SESSIONS);
    assert.equal((await first.get('/read/signedIn')).status, 401);
  });

  test('a proof of identity counts for half an hour, and replaces the token', async () => {
    const account = await givenAccount(app());
    const alice = await signedIn(app(), account.email);
    assert.equal(
      (await alice.get('/read/signedIn')).json.session.confirmedUntil,
      '2024-03-01T12:30:00+00:00',
    );
    app().clock.advance({ hours: 1 });
    const before = alice.cookies.get('tocsin_session') ?? '';

    const reply = await alice.post('/do/confirmByPassword', { password: PASSWORD });

    assert.equal(reply.status, 204);
    assert.equal(
      (await alice.get('/read/signedIn')).json.session.confirmedUntil,
      '2024-03-01T13:30:00+00:00',
    );
    const thief = new Browser(app());
    thief.cookies.set('tocsin_session', before);
    assert.equal((await thief.get('/read/signedIn')).status, 401);
  });

  test('the page learns by what the person can prove who they are', async () => {
    const withPassword = await signedIn(app(), (await givenAccount(app())).email);
    assert.deepEqual((await withPassword.get('/read/confirmationWays')).json, ['password']);

    const { secret, sealed } = (await withPassword.post('/do/beginAuthenticator')).json;
    const code = totpCode(secret, app().clock.now());
    assert.equal((await withPassword.post('/do/addAuthenticator', { sealed, code })).status, 200);

    assert.deepEqual((await withPassword.get('/read/confirmationWays')).json, ['code']);
  });

  test('a code by mail is offered only to whoever has no stronger proof', async () => {
    const account = await givenAccount(app());
    const alice = await signedIn(app(), account.email);
    await app().deps.store.transaction((tx) => tx.accounts.save({ ...account, passwordHash: null }));

    assert.deepEqual((await alice.get('/read/confirmationWays')).json, ['mail']);
  });

  test('a wrong proof changes nothing, and there are only so many', async () => {
    const alice = await signedIn(app(), (await givenAccount(app())).email);
    const { maxAttempts } = ATTEMPT_RULES.proofsPerSession;
    for (let n = 0; n < maxAttempts; n++) {
      const reply = await alice.post('/do/confirmByPassword', { password: 'wrong horse battery' });
      assert.deepEqual(reply.json, {
        error: 'Incorrect password.',
        code: 'wrong_credentials',
        field: 'password',
      });
    }

    assert.equal((await alice.post('/do/confirmByPassword', { password: PASSWORD })).status, 429);
  });

  test('sessions that have ended are removed, and no others', async () => {
    const account = await givenAccount(app());
    await signedIn(app(), account.email);
    app().clock.advance({ days: 10 });
    await signedIn(app(), account.email);
    app().clock.advance({ days: 4 });

    await pruneSessions(app().node.accounts);

    const left = await app().deps.store.sessions.ofAccount(account.id);
    assert.deepEqual(
      left.map(({ createdAt }) => (app().clock.now() - createdAt) / 86_400_000_000),
      [4],
    );
  });
});

const FOREIGN: Record<string, Record<string, string | null>> = {
  'another site': { origin: 'https://evil.example' },
  'another site, as the browser tells': { 'sec-fetch-site': 'cross-site' },
  'another part of the domain': { 'sec-fetch-site': 'same-site' },
  'another port': { origin: 'http://testserver:81' },
  'https of the same host': { origin: 'https://testserver:443x' },
  'an address that the user typed': { 'sec-fetch-site': 'none' },
  'a page without an origin': { origin: 'null' },
  nowhere: { origin: null },
};

const OWN: Record<string, Record<string, string | null>> = {
  'a page of this site': { origin: SITE.root },
  'a page of this site, as the browser tells': { 'sec-fetch-site': 'same-origin', origin: null },
  'a page of this site under another address': {
    origin: 'http://192.0.2.1:8000',
    host: '192.0.2.1:8000',
  },
};

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  for (const [from, headers] of Object.entries(FOREIGN)) {
    test(`a request from ${from} changes nothing`, async () => {
      const account = await givenAccount(app());
      const alice = await signedIn(app(), account.email);
      const uuid = (await alice.get('/read/signedIn')).json.session.uuid;

      const replies = [
        await alice.send(
          'POST',
          '/do/signInWithPassword',
          { email: account.email, password: PASSWORD },
          headers,
        ),
        await alice.send('POST', '/do/signOut', {}, headers),
        await alice.send('POST', '/do/endOtherSessions', {}, headers),
        await alice.send('POST', '/do/endSession', { session: uuid }, headers),
      ];

      for (const { status, json } of replies) {
        assert.equal(status, 403);
        assert.deepEqual(json, { error: 'requests from other sites are refused', code: 'cross_origin' });
      }
      assert.equal((await alice.get('/read/signedIn')).status, 200);
    });
  }

  for (const [from, headers] of Object.entries(OWN)) {
    test(`a request from ${from} is served`, async () => {
      const alice = await signedIn(app(), (await givenAccount(app())).email);

      assert.equal((await alice.send('POST', '/do/endOtherSessions', {}, headers)).status, 200);
    });
  }

  test('scripts of other origins get no leave to call', async () => {
    const reply = await new Browser(app()).send('OPTIONS', '/read/signedIn', undefined, {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
    });

    assert.equal(reply.status, 405);
    assert.equal(reply.headers['access-control-allow-origin'], undefined);
  });
});
