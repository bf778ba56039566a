import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config.ts';
import { HOUR } from '../src/domain/check.test-support.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { START } from './app.ts';
import { createMigratedPlace, forEachEngine, openTestDatabase } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { checkRecord, givenProject } from './records.ts';

test('the very first ping after a time of blindness finds its check up', async () => {
  await using place = await createMigratedPlace('postgres');
  const clock = new FakeClock(START);
  const log = pino({ level: 'silent' });
  const config = {
    ...readConfig({ SECRET_KEY: 'a secret for tests only, and a long one' }),
    database: place.database,
    listen: { host: '127.0.0.1', port: 0 },
  };
  await using app = await startApp(config, { clock, random: systemRandom, log });
  const headers = { 'x-api-key': app.firstKeys?.readWrite ?? assert.fail() };
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${app.port}${path}`, { headers, ...init });
  const edit = JSON.stringify({ timeout: 60, grace: 60 });
  const created = await request('/api/v3/checks/', { method: 'POST', body: edit });
  const { uuid } = (await created.json()) as { uuid: string };
  assert.equal((await request(`/ping/${uuid}`)).status, 200);

  clock.advance({ hours: 3 });
  assert.equal((await request(`/ping/${uuid}`)).status, 200);

  const flips = (await (await request(`/api/v3/checks/${uuid}/flips/`)).json()) as { up: number }[];
  assert.deepEqual(
    flips.map(({ up }) => up),
    [1],
  );
});

forEachEngine((engine) => {
  test('however many came due, each statement excuses so few that it does not take too long', async () => {
    await using opened = await openTestDatabase(engine);
    const { project } = await givenProject(opened.store);
    const count = 2_100;
    await opened.store.transaction(async (tx) => {
      for (let index = 0; index < count; index++) {
        await tx.checks.insert(checkRecord(project.id, { status: 'up', deadlineAt: START + (index % 3) }));
      }
    });
    const changes: number[] = [];
    const store = createSqlStore({
      dialect: opened.driver.dialect,
      all: (sql, params) => opened.driver.all(sql, params),
      transaction: (work) =>
        opened.driver.transaction((tx) =>
          work({
            ...tx,
            run: async (sql, params) => {
              const changed = await tx.run(sql, params);
              changes.push(changed);
              return changed;
            },
          }),
        ),
      probe: () => opened.driver.probe(),
      [Symbol.asyncDispose]: async () => undefined,
    });
    const excuse = () => store.transaction((tx) => tx.checks.excuseOverdue(START - 1, START + 5, HOUR));

    assert.equal(await excuse(), count);
    assert.ok(Math.max(...changes) <= 1_000);
    const excused = await store.checks.ofProject(project.id);
    assert.deepEqual(new Set(excused.map(({ deadlineAt }) => deadlineAt)), new Set([START + 5 + HOUR]));
    assert.equal(await excuse(), 0);
  });
});
