import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BODY_BYTES_PER_TOKEN } from '../../src/http/limits.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { type Reply, sharedTestApp, startTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { Browser, givenAccount, newBrowser } from './browser.ts';

const LIMITS = { maxSessionRequestsPerMinute: 6, maxSessionRequestBurst: 12 };

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, { limits: LIMITS });

  async function signedIn(email: string): Promise<Browser> {
    const browser = newBrowser(app());
    assert.equal((await browser.signIn(email)).status, 204);
    return browser;
  }

  async function use(browser: Browser, times: number): Promise<void> {
    for (let n = 0; n < times; n++)
      assert.equal((await browser.get('/read/signedIn')).status, 200, `request ${n}`);
  }

  const assertTooMany = async (browser: Browser) => {
    const reply = await browser.get('/read/signedIn');
    assert.equal(reply.status, 429);
    assert.deepEqual(reply.json, { error: 'too many requests', code: 'too_many_requests' });
    assert.equal(reply.headers['retry-after'], '10');
  };

  test('all sessions of an account share so many requests, and others have their own', async () => {
    const [alice, bob] = [await givenAccount(app()), await givenAccount(app())];
    const [first, second] = [await signedIn(alice.email), await signedIn(alice.email)];
    await use(first, 6);
    await use(second, 6);

    await assertTooMany(first);
    await assertTooMany(second);
    await use(await signedIn(bob.email), 12);
    app().clock.advance({ seconds: 10 });
    await use(first, 1);
    await assertTooMany(second);
  });

  test('a request in a project counts, and so does one that is refused', async () => {
    const alice = await signedIn((await givenAccount(app())).email);
    const unknown = '/projects/5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a/read/project';
    for (let n = 0; n < 12; n++) assert.equal((await alice.get(unknown)).status, 404);

    assert.equal((await alice.get(unknown)).status, 429);
  });

  test('a long body counts as several requests, before it is parsed', async () => {
    const alice = await signedIn((await givenAccount(app())).email);

    const reply = await alice.send('POST', '/do/editAccount', 'x'.repeat(11 * BODY_BYTES_PER_TOKEN));

    assert.equal(reply.status, 400);
    await use(alice, 1);
    await assertTooMany(alice);
  });

  test('an act counts as one request, and each view that it answers with as another', async () => {
    const alice = await signedIn((await givenAccount(app())).email);
    const shown = Array(6).fill({ view: 'signedIn' });

    assert.equal((await alice.send('POST', '/do/editAccount', { shown })).status, 200);

    await use(alice, 5);
    await assertTooMany(alice);
  });

  test('an act that asks for more views than the bucket holds is possible with a full one', async () => {
    const alice = await signedIn((await givenAccount(app())).email);
    const shown = Array(12).fill({ view: 'signedIn' });

    assert.equal((await alice.send('POST', '/do/editAccount', { shown })).status, 200);

    await assertTooMany(alice);
  });

  test('signing in is not among them', async () => {
    const { email } = await givenAccount(app());
    const alice = await signedIn(email);
    await use(alice, 12);
    await assertTooMany(alice);

    assert.equal((await alice.signIn(email)).status, 204);
  });
});

test('nodes share the requests of an account', async () => {
  await using app = await startTestApp('postgres', {}, { limits: LIMITS });
  const { email } = await givenAccount(app);
  const alice = new Browser(app);
  await alice.signIn(email);
  const second = createHttpServer(app.deps, app.pings, { ...app.node.http, limits: LIMITS });
  await using _closing = { [Symbol.asyncDispose]: () => second.close() };
  const other = new Browser({ ...app, server: second });
  for (const [name, value] of alice.cookies) other.cookies.set(name, value);
  const statuses: Reply['status'][] = [];

  for (let n = 0; n < 14; n++)
    statuses.push((await (n % 2 === 0 ? alice : other).get('/read/signedIn')).status);

  assert.deepEqual(statuses, [...Array(12).fill(200), 429, 429]);
});
