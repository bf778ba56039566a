import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configFor, makePlace, startTestDemonstration } from './demonstration.test-support.ts';

const VISITORS = 50;
const HEADERS = { Origin: 'http://testserver', 'Sec-Fetch-Site': 'same-origin' };

test('a reset ends the sessions and streams of fifty visitors, answers all who ask meanwhile, and forgets what they left', async () => {
  await using place = await makePlace();
  await using demonstration = await startTestDemonstration(configFor(place.path));
  const root = `http://127.0.0.1:${demonstration.port}`;
  const ask = (path: string, cookie: string) => fetch(root + path, { headers: { ...HEADERS, cookie } });
  const cookies = await Promise.all(
    Array.from({ length: VISITORS }, async () => {
      const reply = await fetch(`${root}/dashboard/api/do/lookAround`, {
        method: 'POST',
        headers: HEADERS,
        body: '{}',
      });
      assert.equal(reply.status, 204, await reply.text());
      return reply.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; ');
    }),
  );
  const streams = await Promise.all(cookies.map((cookie) => ask('/dashboard/api/live', cookie)));
  for (const { status } of streams) assert.equal(status, 200);
  const before = demonstration.node;

  const asked = cookies.map((cookie) => ask('/dashboard/api/read/ownProjects', cookie));
  const resetting = demonstration.reset();
  const meanwhile = cookies.map((cookie) => ask('/dashboard/api/read/ownProjects', cookie));
  await resetting;

  await Promise.all(streams.map((stream) => stream.text()));
  for (const { status } of await Promise.all([...asked, ...meanwhile]))
    assert.ok([200, 401].includes(status), `${status}`);
  for (const cookie of cookies)
    assert.equal((await ask('/dashboard/api/read/ownProjects', cookie)).status, 401);
  assert.notEqual(demonstration.node, before);
  assert.deepEqual(await demonstration.node.deps.store.sessions.ofAccount(6), []);
});
