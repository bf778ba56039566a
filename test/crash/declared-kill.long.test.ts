import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { decodeNotes } from '../../src/domain/check/job-declaration.ts';
import { decodeSources } from '../../src/domain/check/sources.ts';
import type { Database } from '../../src/storage/open.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { createEmptyPlace, forEachEngine, openTestDriver } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { KILL_ROUNDS } from './rounds.ts';
import { seeded } from './seeded.ts';
import { PING_KEY, type Service, startService } from './service.ts';

const CLIENTS = 4;
const SEED = 20_261_118;
const FOLLOWED = '    job_declarations: follow\n';

/** A check that its job declares with one ping. */
interface Declared {
  /** Its name, and a tag of it. */
  readonly name: string;
  /** Whether it is there already, and is changed by the ping. */
  readonly isChanged: boolean;
  /** Whether the ping was answered. */
  isAnswered: boolean;
}

suite('a service that is killed while jobs declare checks', { concurrency: true }, () => {
  forEachEngine((engine) => {
    test('has each answered ping with its declaration, and none of the two alone', async () => {
      await using folder = await temporaryFolder();
      await using place = await createEmptyPlace(engine);
      const random = seeded(SEED);
      const declared: Declared[] = [];
      const answered = () => declared.filter(({ isAnswered }) => isAnswered).length;

      for (let round = 1; round <= KILL_ROUNDS[engine]; round++) {
        await using service = await startService(folder.path, place.database, { project: FOLLOWED });
        const enough = answered() + Math.round(20 + 60 * random());
        const clients = Array.from({ length: CLIENTS }, (_, n) =>
          declareUntilItDies(service, declared, `r${round}-c${n}`),
        );
        const done = Promise.all(clients);
        await Promise.race([done, until('jobs were answered often enough', () => answered() >= enough)]);
        service.process.signal('SIGKILL');
        await done;
        await requireDeclared(place.database, declared);
      }

      assert.ok(answered() >= 20 * KILL_ROUNDS[engine]);
    });
  });
});

/** Checks in turn that the ping creates, and that it changes. */
async function declareUntilItDies(service: Service, declared: Declared[], client: string): Promise<void> {
  try {
    for (let n = 0; ; n++) {
      const isChanged = n % 2 === 1;
      const name = `${client}-${n}`;
      const address = isChanged ? (await service.createCheck(name)).uuid : `${PING_KEY}/${name}`;
      const one: Declared = { name, isChanged, isAnswered: false };
      declared.push(one);
      const query = `timeout=2h&tags=${name}${isChanged ? '' : '&create=1'}`;
      const reply = await fetch(`${service.url}/ping/${address}?${query}`);
      await reply.text();
      assert.deepEqual(
        [reply.status, reply.headers.get('check-declaration')],
        [isChanged ? 200 : 201, 'applied'],
      );
      one.isAnswered = true;
    }
  } catch (error) {
    // `fetch` says TypeError to a connection that is refused or breaks off, at whatever point.
    if (!(error instanceof TypeError)) throw error;
  }
}

async function requireDeclared(database: Database, declared: readonly Declared[]): Promise<void> {
  await using driver = await openTestDriver(database);
  const store = createSqlStore(driver);
  const rows = await driver.all<{ id: number }>('select id from checks');
  const found = await store.checks.byIds(rows.map(({ id }) => id));
  const checks = new Map(found.map((check) => [check.name, check]));
  const [{ projectId } = assert.fail('there are checks')] = found;
  const page = { after: null, from: null, before: null, most: 100_000 };
  const acts = await store.auditLog.page({ projectId }, page);
  const byJob = new Set(acts.filter(({ means }) => means === 'job').map(({ subject }) => subject.id));
  for (const { name, isAnswered, isChanged } of declared) {
    const check = checks.get(name);
    const isThere = check !== undefined && check.pingCount > 0;
    if (isAnswered) assert.ok(isThere, `${name} was answered`);
    if (check === undefined) continue;
    const parts = [...(await partsOf(store, check)), byJob.has(check.uniqueKey)];
    assert.deepEqual(new Set(parts), new Set([isThere]), `${name}: ${parts}`);
    // A check that a ping creates has that ping.
    assert.ok(isChanged || isThere, name);
  }
}

/** Whether the check has each part of what its job has declared. */
async function partsOf(store: Store, check: Check): Promise<boolean[]> {
  const { tags, timing } = decodeSources(check.sources);
  const { last } = decodeNotes((await store.checkNotes.of(check.id)).declaration);
  const { length: pings } = await store.pings.latest(check.id, 10);
  return [
    pings === 1,
    check.tags === check.name,
    check.timeoutSeconds === 7_200,
    tags?.by === 'job' && timing?.by === 'job',
    last?.given.includes(check.name) === true,
  ];
}
