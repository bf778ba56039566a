import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import type { Database } from '../../src/storage/open.ts';
import { createEmptyPlace, forEachEngine, openTestDriver } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { NaiveCheck } from '../simulation/naive.ts';
import { Observed } from '../simulation/observed.ts';
import { until } from '../waiting.ts';
import { KILL_ROUNDS } from './rounds.ts';
import { seeded } from './seeded.ts';
import { type Service, startService } from './service.ts';

const SLUGS = ['a', 'b', 'c', 'd'];
const SEED = 20_261_119;
const CHECKS = `    checks: [${SLUGS.map(
  (slug) => `{ slug: job-${slug}, run_rules: { end_within: 7200, exit_map: "24=warn", min_run_time: 60 } }`,
).join(', ')}]\n`;

/** What a job tells in the order of its runs: some have progress, some lose their end, some lose their start. */
const COURSES = [
  ['/start', '/progress', '/progress', ''],
  ['/start'],
  ['/start', '/24'],
  ['/progress', '/progress'],
  [''],
  ['/start', '/progress', '/fail'],
];

suite('a service that is killed while runs begin and end', { concurrency: true }, () => {
  forEachEngine((engine) => {
    test('has every ping that it has acknowledged, and the run open that they leave open', async () => {
      await using folder = await temporaryFolder();
      await using place = await createEmptyPlace(engine);
      const random = seeded(SEED);
      const acknowledged: string[] = [];

      for (let round = 1; round <= KILL_ROUNDS[engine]; round++) {
        await using service = await startService(folder.path, place.database, { project: CHECKS });
        const uuids = (await service.checks()).map(({ uuid }) => uuid);
        assert.equal(uuids.length, SLUGS.length);
        const enough = acknowledged.length + Math.round(40 + 60 * random());
        const done = Promise.all(uuids.map((uuid) => runUntilItDies(service, uuid, acknowledged)));
        await Promise.race([
          done,
          until('runs were acknowledged often enough', () => acknowledged.length >= enough),
        ]);
        service.process.signal('SIGKILL');
        await done;
        await requireRuns(place.database, acknowledged);
      }
    });
  });
});

/** Notes the marks of the pings that were acknowledged. */
async function runUntilItDies(service: Service, uuid: string, acknowledged: string[]): Promise<void> {
  try {
    for (let n = 0; ; n++) {
      const rid = randomUUID();
      for (const path of COURSES[n % COURSES.length] ?? []) {
        const mark = randomUUID();
        const reply = await fetch(`${service.url}/ping/${uuid}${path}?rid=${rid}`, {
          headers: { 'User-Agent': mark },
        });
        await reply.text();
        assert.equal(reply.status, 200);
        acknowledged.push(mark);
      }
    }
  } catch (error) {
    // `fetch` says TypeError to a connection that is refused or breaks off, at whatever point.
    if (!(error instanceof TypeError)) throw error;
  }
}

async function requireRuns(database: Database, acknowledged: readonly string[]): Promise<void> {
  await using driver = await openTestDriver(database);
  const observed = new Observed(driver);
  const stored = new Set<string>();
  for (const check of await observed.checks()) {
    const model = new NaiveCheck(check.uuid, { timingAt: () => check, quietSpans: () => [] });
    const pings = await observed.pingsAfter(check.id, 0);
    for (const { mark } of pings) stored.add(mark);
    model.take(pings, await observed.flipsOf(check.id));
    model.requireRow(check);
  }
  assert.deepEqual(
    acknowledged.filter((mark) => !stored.has(mark)),
    [],
  );
}
