import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import type { Deps } from '../src/services/core/deps.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { FakeSender, fixture, newNotifier } from './alerts.ts';
import { sharedTestApp } from './app.ts';
import { counted } from './counted-driver.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { incomingPing } from './records.ts';

/** What a statement begins with and the first table that it names: `update checks`. */
function gist(sql: string): string {
  const text = sql.replaceAll(/\s+/g, ' ').trim();
  const [, table = ''] = /\b(?:from|into|update) (\w+)/.exec(text) ?? [];
  return `${/^\w+/.exec(text)?.[0]} ${table}`;
}

const PING = ['select checks', 'insert pings', 'update checks'];
const FLIP = ['insert flips', 'select projects', 'insert deliveries', 'select accounts'];
const DOWN = ['select checks', 'select checks', 'select checks', 'update checks', ...FLIP];
const MESSAGE = [
  'insert attempts',
  'select channels',
  'select checks',
  'select deliveries',
  'select deliveries',
  'select deliveries',
  'select flips',
  'select pings',
  'select projects',
  'update channels',
  'update deliveries',
  'update deliveries',
  'update deliveries',
  'update deliveries',
  'with deliveries',
];

/** The statements of a check without rules in a project that has set up nothing but who is told. */
forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a ping, a deadline, a recovery and their messages run these statements, and no others', async () => {
    const { check } = await fixture(app());
    await using inner = await openTestDriver(app().database);
    const { driver, statements } = counted(inner);
    const deps: Deps = { ...app().deps, store: createSqlStore(driver) };
    const notifier = newNotifier({ ...app(), deps }, new FakeSender());
    const run = async (work: () => Promise<unknown>): Promise<string[]> => {
      statements.sql = [];
      await work();
      return statements.sql.map(gist);
    };
    const ping = () => run(() => ingestPings(deps, [incomingPing({ uuid: check.uuid })]));
    const tell = () =>
      run(async () => {
        await notifier.tick();
        await notifier.settled();
      });

    const first = await ping();
    const usual = await ping();
    app().clock.advance({ hours: 26 });
    const down = await run(() => flipOverdue({ ...deps, onPoison: () => undefined }));
    const toldDown = await tell();
    const up = await ping();
    const toldUp = await tell();

    // SQLite has one writer, which remembers the checks that it has written.
    assert.deepEqual({ first, usual }, { first: PING, usual: engine === 'sqlite' ? PING.slice(1) : PING });
    assert.deepEqual({ down, up }, { down: DOWN, up: [...PING, ...FLIP] });
    assert.deepEqual(toldDown.toSorted(), MESSAGE);
    // How long it was down, and places that were freed, which are asked for at once.
    assert.deepEqual(toldUp.toSorted(), [...MESSAGE, 'select flips', 'with deliveries'].toSorted());
  });
});
