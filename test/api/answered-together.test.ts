import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';

/** Through a socket: only there requests come together. */
async function getCheck(app: TestApp, key: string, uuid: string): Promise<{ status: number; text: string }> {
  const url = `http://127.0.0.1:${await app.port()}/api/v3/checks/${uuid}`;
  const response = await fetch(url, { headers: { 'x-api-key': key } });
  return { status: response.status, text: await response.text() };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('each of many requests that come together gets its own answer', async () => {
    const { project, key } = await app().givenProject();
    const uuids: string[] = [];
    for (let n = 0; n < 5; n++) uuids.push((await app().givenCheck(project)).uuid);
    const asked = Array.from({ length: 100 }, (_, n) => uuids[n % 5] ?? '');

    const answers = await Promise.all(asked.map((uuid) => getCheck(app(), key, uuid)));

    assert.deepEqual(
      answers.map(({ text }) => JSON.parse(text).uuid),
      asked,
    );
  });

  test('a check that has just changed is never answered as it was', async () => {
    const { project, key } = await app().givenProject();
    const { uuid } = await app().givenCheck(project);

    for (let count = 1; count <= 5; count++) {
      await app().ping(`/${uuid}`);
      const { text } = await getCheck(app(), key, uuid);
      assert.equal(JSON.parse(text).n_pings, count);
    }
  });

  test('requests that come together use up the rate of the project, and are refused when it is used up', async () => {
    await using limited = await startTestApp(engine, { rateLimitPerMinute: 60, rateBurst: 3 });
    const { project, key } = await limited.givenProject();
    const { uuid } = await limited.givenCheck(project);

    const answers = await Promise.all(Array.from({ length: 5 }, () => getCheck(limited, key, uuid)));

    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 429, 429]);
  });
});
