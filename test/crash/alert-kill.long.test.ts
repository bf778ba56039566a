import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import type { Database } from '../../src/storage/open.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { createEmptyPlace, forEachEngine, openTestDriver } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { KILL_ROUNDS } from './rounds.ts';
import { seeded } from './seeded.ts';
import { type Service, startService } from './service.ts';
import { type Answer, firstArrivals, type Sink, startSink } from './sink.ts';

const CHECKS = 6;
const SEED = 20_260_104;

/** One check as its only client knows it. */
interface Job {
  readonly uuid: string;
  readonly acknowledged: string[];
  /** Sent, and cut off before an answer came. */
  readonly unanswered: string[];
  isFailing: boolean;
}

suite('a service that is killed', { concurrency: true }, () => {
  forEachEngine((engine) => {
    test('has each acknowledged ping once, and tells of every change, in order', async () => {
      await using folder = await temporaryFolder();
      await using place = await createEmptyPlace(engine);
      await using sink = await startSink();
      const random = seeded(SEED);
      const jobs: Job[] = [];

      for (let round = 1; round <= KILL_ROUNDS[engine]; round++) {
        // On PostgreSQL a lost claim counts as a try, and the pause after the second one is a minute.
        sink.answer = moodOf(random, engine === 'sqlite' || round === 1);
        await using service = await startService(folder.path, place.database, { webhook: sink.url });
        if (round === 1) jobs.push(...(await createJobs(service)));
        else await requirePings(place.database, service, jobs);
        const clients = jobs.map((job) => pingUntilItDies(service, job, random));
        const enough = answered(jobs) + Math.round(80 + 120 * random());
        await until('clients were answered often enough', () => answered(jobs) >= enough);
        service.process.signal('SIGKILL');
        await Promise.all(clients);
      }

      sink.answer = () => ({ status: 200, afterMs: 0 });
      await using service = await startService(folder.path, place.database, { webhook: sink.url });
      await requirePings(place.database, service, jobs);
      await requireNews(service, sink, jobs);
    });
  });
});

/** Mostly prompt, sometimes slow, and sometimes out of order; it fails no message twice. */
function moodOf(random: () => number, fails: boolean): Sink['answer'] {
  return (isRepeated): Answer => {
    const chance = random();
    if (chance < 0.02 && fails && !isRepeated) return { status: 500, afterMs: 0 };
    return { status: 200, afterMs: chance > 0.85 ? 300 * random() : 0 };
  };
}

async function createJobs(service: Service): Promise<Job[]> {
  const names = Array.from({ length: CHECKS }, (_, index) => `job ${index + 1}`);
  const checks = await Promise.all(names.map((name) => service.createCheck(name)));
  return checks.map(({ uuid }) => ({ uuid, acknowledged: [], unanswered: [], isFailing: false }));
}

function answered(jobs: readonly Job[]): number {
  return jobs.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
}

/** One ping after the other, each with an id of its own. */
async function pingUntilItDies(service: Service, job: Job, random: () => number): Promise<void> {
  for (;;) {
    if (random() < 0.15) job.isFailing = !job.isFailing;
    const rid = randomUUID();
    try {
      const isTaken = await service.ping(job.uuid, `${job.isFailing ? '/fail' : ''}?rid=${rid}`);
      assert.ok(isTaken, 'a service that lives takes every ping');
      job.acknowledged.push(rid);
    } catch (error) {
      // `fetch` says TypeError to a connection that is refused or breaks off, at whatever point.
      if (!(error instanceof TypeError)) throw error;
      job.unanswered.push(rid);
      return;
    }
  }
}

/** All that was acknowledged, once and in order, and nothing that was not sent; numbers and status follow. */
async function requirePings(database: Database, service: Service, jobs: readonly Job[]): Promise<void> {
  await using driver = await openTestDriver(database);
  const store = createSqlStore(driver);
  const listed = new Map((await service.checks()).map((check) => [check.uuid, check]));
  for (const { uuid, acknowledged, unanswered } of jobs) {
    const check = (await store.checks.byUuid(uuid)) ?? assert.fail();
    const pings = (await store.pings.latest(check.id, 1_000_000)).reverse();
    const rids = pings.map(({ rid }) => rid ?? '');
    const doubtful = new Set(unanswered);
    assert.deepEqual(
      rids.filter((rid) => !doubtful.has(rid)),
      acknowledged,
    );
    assert.equal(new Set(rids).size, rids.length);
    assert.deepEqual(
      pings.map(({ n }) => n),
      pings.map((_, index) => index + 1),
    );
    assert.equal(listed.get(uuid)?.n_pings, pings.length);
    assert.equal(listed.get(uuid)?.status, pings.at(-1)?.signal === 'fail' ? 'down' : 'up');
    const changes = pings.filter(({ signal }, index) => signal !== (pings[index - 1]?.signal ?? 'success'));
    assert.equal((await service.news(uuid)).length, changes.length);
  }
}

/** Each change has been taken by the sink, and first came there after those before it. */
async function requireNews(service: Service, sink: Sink, jobs: readonly Job[]): Promise<void> {
  const news = new Map(
    await Promise.all(jobs.map(async ({ uuid }) => [uuid, await service.news(uuid)] as const)),
  );
  const taken = () => new Set(sink.arrivals.filter(({ status }) => status === 200).map(({ key }) => key));
  const count = [...news.values()].flat().length;
  assert.ok(count > CHECKS * 2, `only ${count} changes were tried`);

  await until('the sink has taken every message', () => taken().size >= count);

  const told = firstArrivals(sink);
  for (const [uuid, expected] of news) assert.deepEqual(told.get(uuid) ?? [], expected, `with seed ${SEED}`);
  for (const [key, copies] of Map.groupBy(sink.arrivals, (arrival) => arrival.key)) {
    const contents = copies.map((copy) => `${copy.check} ${copy.news}`);
    assert.equal(new Set(contents).size, 1, `${key} always tells the same`);
  }
}
