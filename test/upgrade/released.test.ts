import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../../src/config/read-config.ts';
import { openCore } from '../../src/core.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { seconds } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Notifier } from '../../src/notifier/notifier.ts';
import { acknowledgeCheck, unacknowledgeCheck } from '../../src/services/alert/answers.ts';
import { setAlerting } from '../../src/services/alert/policies.ts';
import { fillLastResults } from '../../src/services/check/last-results.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { wakeOutages } from '../../src/services/core/outages.ts';
import { ingestPings } from '../../src/services/ping/ingest.ts';
import { loadAsItWas, restore } from '../../src/storage/archive/restore.ts';
import { openSource, type Source } from '../../src/storage/archive/source.ts';
import type { Driver } from '../../src/storage/driver.ts';
import { loadMigrations } from '../../src/storage/migration-files.ts';
import type { Database } from '../../src/storage/open.ts';
import { schemaOf } from '../../src/storage/schema.test-support.ts';
import { verifyDatabase } from '../../src/storage/verify/database.ts';
import { FakeSender } from '../alerts.ts';
import { createEmptyPlace, forEachEngine, openTestDatabase, openTestDriver } from '../engines.ts';
import { SITE, TEST_SECRET } from '../node-parts.ts';
import { incomingPing } from '../records.ts';

/** Archives of databases that programs of earlier schemas have filled, by the version of the schema. */
const ARCHIVES = globSync(join(import.meta.dirname, 'released/*.archive')).toSorted();

const RELEASE = '1.0.0';
const WORLD = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };

/** Tables of which an upgrade neither adds nor loses a row. */
const COUNTED = ['accounts', 'projects', 'api_keys', 'channels', 'checks', 'check_channels', 'check_tags'];
const LIVED = ['pings', 'ping_bodies', 'flips', 'deliveries', 'attempts', 'audit_log', 'deleted_checks'];

async function counts(driver: Driver): Promise<Record<string, number>> {
  const columns = [...COUNTED, ...LIVED].map((table) => `(select count(*) from ${table}) as ${table}`);
  const [row] = await driver.all<Record<string, number>>(`select ${columns.join(', ')}`);
  return { ...row };
}

/** Makes the database of then, and returns how many rows it has. */
async function givenDatabaseOfThen(database: Database, source: Source): Promise<Record<string, number>> {
  await using driver = await openTestDriver(database);
  await driver.transaction((tx) => loadAsItWas(tx, driver, source, systemClock));
  return await counts(driver);
}

/** Starts today's program, then makes the steps that would wait for a day, and fills what a loop would. */
async function upgrade(database: Database): Promise<number[]> {
  const config = { ...readConfig({ SECRET_KEY: TEST_SECRET }), database };
  const applied: number[] = [];
  for (const contractBy of ['start', 'operator'] as const) {
    await using core = await openCore(config, { ...WORLD, version: RELEASE, contractBy });
    applied.push(...core.upgrade.migrated.map(({ version }) => version));
    while (await fillLastResults(core.deps));
  }
  return applied;
}

async function assertSound(database: Database, rows: Readonly<Record<string, number>>): Promise<void> {
  await using fresh = await openTestDatabase(database.engine);
  await using driver = await openTestDriver(database);
  assert.deepEqual(await schemaOf(driver), await schemaOf(fresh.driver));
  assert.deepEqual(await counts(driver), rows);
  const secrets = { current: TEST_SECRET, fallbacks: [] };
  assert.deepEqual(await verifyDatabase(database, secrets, WORLD), { faults: [], hasSecret: true });
}

test('there is a database of the first schema', () => {
  assert.equal(basename(ARCHIVES[0] ?? ''), '0036.archive');
});

forEachEngine((engine) => {
  for (const path of ARCHIVES) {
    const schema = Number.parseInt(basename(path), 10);

    test(`a database of schema ${schema} becomes what a new one is, with its data, and verify finds no fault`, async () => {
      await using place = await createEmptyPlace(engine);
      const { database } = place;
      const source = await openSource(path, { ...WORLD, release: RELEASE });
      const rows = await givenDatabaseOfThen(database, source);
      assert.ok(
        Object.values(rows).every((count) => count > 0),
        JSON.stringify(rows),
      );

      const applied = await upgrade(database);

      const later = (await loadMigrations(engine))
        .map(({ version }) => version)
        .filter((one) => one > schema);
      assert.equal(source.header.schema, schema);
      assert.deepEqual(applied, later);
      await assertSound(database, rows);
    });

    test(`an archive of schema ${schema} is restored as what an upgrade makes of it`, async () => {
      await using then = await createEmptyPlace(engine);
      await using place = await createEmptyPlace(engine);
      const source = await openSource(path, { ...WORLD, release: RELEASE });
      const rows = await givenDatabaseOfThen(then.database, source);

      await restore(place.database, { ...WORLD, source, secrets: null, replaces: false });

      await assertSound(place.database, rows);
    });
  }

  test('what stood in the addresses of a project is what its owner is shown', async () => {
    await using place = await createEmptyPlace(engine);
    const [path = ''] = ARCHIVES;
    await givenDatabaseOfThen(place.database, await openSource(path, { ...WORLD, release: RELEASE }));

    await upgrade(place.database);

    await using driver = await openTestDriver(place.database);
    assert.deepEqual(
      (await driver.all<{ form: string }>('select address_form as form from accounts')).map(
        ({ form }) => form,
      ),
      ['slug'],
    );
  });

  test('of outages and messages that are open at an upgrade nothing is told twice, and nothing is lost', async () => {
    await using place = await createEmptyPlace(engine);
    const { database } = place;
    const [path = ''] = ARCHIVES;
    await givenDatabaseOfThen(database, await openSource(path, { ...WORLD, release: RELEASE }));
    const [untold, told] = await givenOutages(database);

    await upgrade(database);

    const config = { ...readConfig({ SECRET_KEY: TEST_SECRET }), database };
    await using core = await openCore(config, { ...WORLD, version: RELEASE, contractBy: 'start' });
    const { deps } = core;
    const sender = new FakeSender();
    const { log } = WORLD;
    const notifier = new Notifier(deps, sender, {
      ...{ site: SITE, log, maxConcurrent: 9, maxConcurrentPerDestination: 9 },
    });
    const deliver = async () => {
      while (await wakeOutages({ ...deps, onPoison: () => assert.fail() }));
      while ((await notifier.tick()) === true) await notifier.settled();
      return sender.sent.map(({ event }) => `${event.check.uuid} ${event.to}`);
    };
    assert.deepEqual(await deliver(), [`${untold.uuid} down`]);
    const actor = systemActor(told.projectId);
    await setAlerting(deps, actor, { policy: 'keep-reminding', tags: [] });
    await acknowledgeCheck(deps, actor, told.id);
    await unacknowledgeCheck(deps, actor, told.id);
    // The outage of the other one began without a plan, and has none.
    const outages = await deps.store.outages.openOf([untold.id, told.id]);
    assert.deepEqual(
      outages.map(({ checkId, state, stepCount, againCount }) => ({ checkId, state, stepCount, againCount })),
      [{ checkId: told.id, state: 'told', stepCount: 0, againCount: 1 }],
    );
    const reminded = [`${untold.uuid} down`, `${told.uuid} down`];
    assert.deepEqual(await deliver(), reminded);

    for (const { uuid } of [untold, told]) await ingestPings(deps, [incomingPing({ uuid })]);

    const ends = [`${untold.uuid} up`, `${told.uuid} up`];
    assert.deepEqual(await deliver(), [...reminded, ...ends]);
  });
});

/** Two checks that went down hours ago, as a program of then has left them: only of the second somebody has been told. */
async function givenOutages(database: Database) {
  await using driver = await openTestDriver(database);
  const [channel] = await driver.all<{ id: number; projectId: number }>(
    'select id, project_id as "projectId" from channels where not disabled order by id limit 1',
  );
  const { id: channelId, projectId } = channel ?? assert.fail('no integration');
  const checks = await driver.all<{ id: number; uuid: string; projectId: number }>(
    'select id, uuid, project_id as "projectId" from checks where project_id = $1 order by id limit 2',
    [projectId],
  );
  const [untold = assert.fail(), told = assert.fail()] = checks;
  const began = systemClock.now() - seconds(7_200);
  await driver.transaction(async (tx) => {
    await tx.run('delete from check_channels');
    await tx.run(`update deliveries set state = 'delivered', next_attempt_at = null where state = 'open'`);
    for (const { id } of checks) {
      const isTold = id === told.id;
      await tx.run(`update checks set status = 'down', deadline_at = null, last_flip_at = $2 where id = $1`, [
        id,
        began,
      ]);
      await tx.run('insert into check_channels (check_id, channel_id) values ($1, $2)', [id, channelId]);
      const [flip] = await tx.all<{ id: number }>(
        `insert into flips (check_id, created_at, old_status, new_status, reason)
         values ($1, $2, 'up', 'down', 'fail') returning id`,
        [id, began],
      );
      await tx.run(
        `insert into deliveries (uuid, check_id, channel_id, flip_id, status, state, next_attempt_at, created_at)
         values ($1, $2, $3, $4, 'down', $5, $6, $7)`,
        [
          systemRandom.uuid(),
          ...[id, channelId, flip?.id ?? 0],
          ...[isTold ? 'delivered' : 'open', isTold ? null : began, began],
        ],
      );
    }
  });
  return [untold, told] as const;
}
