import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given() {
    const { project, key, readOnlyKey } = await app().givenProject({ limits: { checks: 20, pings: 3 } });
    const check = await app().givenCheck(project, { methods: 'POST' });
    const url = `/api/v3/checks/${check.uuid}/pings/`;
    const send = (path: string) => app().ping(`/${check.uuid}${path}`, { body: `body of ${path}` });
    return { key, readOnlyKey, check, url, send };
  }

  test('signals of all kinds are listed, newest first, without their exit status', async () => {
    const { project, key } = await app().givenProject();
    const check = await app().givenCheck(project, { methods: 'POST' });
    for (const path of ['/start', '/log', '/3', ''])
      await app().ping(`/${check.uuid}${path}`, { method: 'POST', headers: { 'user-agent': 'cron/1' } });
    await app().ping(`/${check.uuid}`, { headers: { 'x-forwarded-proto': 'https' } });

    const reply = await app().request('GET', `/api/v3/checks/${check.uuid}/pings/`, { key });

    const { pings } = reply.json as { pings: Record<string, unknown>[] };
    assert.deepEqual(
      pings.map(({ type, n }) => [n, type]),
      [
        [5, 'ign'],
        [4, 'success'],
        [3, 'fail'],
        [2, 'log'],
        [1, 'start'],
      ],
    );
    assert.deepEqual(pings[2], {
      type: 'fail',
      date: '2024-03-01T12:00:00.000000+00:00',
      n: 3,
      scheme: 'http',
      remote_addr: '127.0.0.1',
      method: 'POST',
      ua: 'cron/1',
      rid: null,
      body_url: null,
      duration: 0,
    });
    assert.equal(pings[0]?.scheme, 'https');
  });

  test('the body of a ping beyond the limit is gone, even while it is stored', async () => {
    const { key, check, url, send } = await given();
    for (const path of ['', '/log', '/fail', '/0']) await send(path);

    const read = (n: number) => app().request('GET', `${url}${n}/body`, { key });

    assert.ok((await app().deps.store.pings.body(check.id, 1)) !== null);
    assert.equal((await read(1)).status, 404);
    assert.equal((await read(2)).text, 'body of /log');
    assert.equal((await read(4)).text, 'body of /0');
    assert.equal((await read(5)).status, 404);
  });

  test('a read-only key neither lists pings nor reads bodies', async () => {
    const { readOnlyKey, url, send } = await given();
    await send('');

    for (const path of [url, `${url}1/body`]) {
      const reply = await app().request('GET', path, { key: readOnlyKey });
      assert.equal(reply.status, 401, path);
      assert.deepEqual(reply.json, { error: 'wrong api key' }, path);
    }
  });

  test('the date of a ping has microseconds and an offset', async () => {
    const { key, url, send } = await given();
    app().clock.advance({ seconds: 1.000_001 });
    await send('');
    app().clock.advance({ seconds: 0.999_999 });
    await send('');

    const reply = await app().request('GET', url, { key });

    const { pings } = reply.json as { pings: { date: string }[] };
    assert.deepEqual(
      pings.map(({ date }) => date),
      ['2024-03-01T12:00:02.000000+00:00', '2024-03-01T12:00:01.000001+00:00'],
    );
  });
});
