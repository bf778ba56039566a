import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import type { NewFlip } from '../../src/domain/check/flip.ts';
import type { IncomingPing, PingOutcome } from '../../src/domain/ping/incoming-ping.ts';
import type { Ping } from '../../src/domain/ping/ping.ts';
import { receivePing } from '../../src/domain/ping/transition.ts';
import { seconds } from '../../src/lib/instant.ts';
import { createCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import type { Deps } from '../../src/services/core/deps.ts';
import { ingestPings } from '../../src/services/ping/ingest.ts';
import { pingKeyDigest } from '../../src/services/project/projects.ts';
import type { Driver } from '../../src/storage/driver.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { sharedTestApp } from '../app.ts';
import { openTestDriver } from '../engines.ts';
import { incomingPing } from '../records.ts';
import { allFlips, givenPingKey, pingsOf, stored } from './answers.ts';

interface Node {
  readonly deps: Deps;
  /** The number of transactions that began, and that had to begin again. */
  readonly transactions: { begun: number; repeated: number };
}

/** Chance from a seed: the same in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const SIGNALS = ['success', 'start', 'fail', 'log'] as const;
const RIDS = [null, '9f2a3a37-1f4d-4a3b-8a44-00000000000a', '9f2a3a37-1f4d-4a3b-8a44-00000000000b'];

/** The check after the pings, one after the other. */
function replayed(check: Check, pings: readonly Ping[]): { check: Check; flips: NewFlip[] } {
  let state = check;
  const flips: NewFlip[] = [];
  for (const { signal, rid, createdAt } of pings) {
    const next = receivePing(state, signal, rid, createdAt);
    state = { ...next.check, lastReceivedAt: createdAt };
    flips.push(...next.flips);
  }
  return { check: state, flips };
}

// Races of several writers: SQLite has one.
describe('several nodes on postgres', () => {
  const app = sharedTestApp('postgres');
  const drivers: Driver[] = [];
  const nodes: Node[] = [];

  before(async () => {
    for (const skew of [0, seconds(3), -seconds(7)]) {
      const driver = await openTestDriver(app().database);
      drivers.push(driver);
      const store = createSqlStore(driver);
      const clock = { now: () => app().clock.now() + skew, monotonic: () => app().clock.monotonic() };
      const transactions = { begun: 0, repeated: 0 };
      const counted: typeof store = {
        ...store,
        transaction: (work) => {
          transactions.begun++;
          let tries = 0;
          return store.transaction((tx) => {
            if (tries++ > 0) transactions.repeated++;
            return work(tx);
          });
        },
      };
      nodes.push({ deps: { ...app().deps, store: counted, clock }, transactions });
    }
  });

  after(async () => {
    for (const driver of drivers) await driver[Symbol.asyncDispose]();
  });

  const repeated = () => nodes.reduce((sum, { transactions }) => sum + transactions.repeated, 0);

  test('three nodes that ping the same checks at once lose nothing and hold up nobody', async () => {
    const { project } = await app().givenProject();
    const key = await givenPingKey(app(), project);
    const digest = pingKeyDigest(key);
    const checks = await Promise.all(
      Array.from({ length: 10 }, (_, n) => app().givenCheck(project, { slug: `job-${n}`, graceSeconds: 60 })),
    );
    const sent = new Map<number, number>();
    const roll = dice(7);
    const before = repeated();

    const batchFor = (): IncomingPing[] =>
      Array.from({ length: 1 + roll(40) }, () => {
        const check = checks[roll(checks.length)];
        assert.ok(check !== undefined);
        sent.set(check.id, (sent.get(check.id) ?? 0) + 1);
        const target = roll(3) === 0 ? { pingKeyDigest: digest, slug: check.slug, create: false } : check;
        return incomingPing(target, { signal: SIGNALS[roll(4)] ?? 'log', rid: RIDS[roll(3)] ?? null });
      });
    const work = async ({ deps }: Node) => {
      for (let round = 0; round < 30; round++) {
        app().clock.advance({ seconds: roll(30) });
        const outcomes = await ingestPings(deps, batchFor());
        for (const outcome of outcomes) assert.equal(outcome, 'recorded');
      }
    };
    // Two at a time on each node, though its writer would do one after the other.
    await Promise.all(nodes.flatMap((node) => [work(node), work(node)]));

    assert.equal(repeated() - before, 0, 'no transaction had to be done again');
    for (const check of checks) {
      const [now, pings] = [await stored(app(), check), await pingsOf(app(), check)];
      assert.equal(now.pingCount, sent.get(check.id));
      assert.deepEqual(
        pings.map(({ n }) => n),
        Array.from({ length: now.pingCount }, (_, index) => index + 1),
      );
      const times = pings.map(({ createdAt }) => createdAt);
      assert.deepEqual(
        times,
        times.toSorted((one, two) => one - two),
        'times never go back',
      );
      const expected = replayed(check, pings);
      assert.deepEqual(now, expected.check);
      const flips = (await allFlips(app(), check)).map(({ id: _id, ...flip }) => flip);
      assert.deepEqual(flips, expected.flips);
    }
  });

  test('a check that three nodes would create at once is created once', async () => {
    const { project } = await app().givenProject();
    const digest = pingKeyDigest(await givenPingKey(app(), project));

    for (let round = 0; round < 15; round++) {
      const target = { pingKeyDigest: digest, slug: `fresh-${round}`, create: true };
      const outcomes = await Promise.all(
        nodes.map(({ deps }) => ingestPings(deps, [incomingPing(target), incomingPing(target)])),
      );
      assert.deepEqual(
        outcomes.flat().sort(),
        ['created', ...Array<PingOutcome>(5).fill('recorded')],
        `round ${round}`,
      );
    }

    const checks = await app().deps.store.checks.ofProject(project.id);
    assert.deepEqual(checks.map(({ slug, pingCount }) => [slug, pingCount]).sort(), [
      ...Array.from({ length: 15 }, (_, round) => [`fresh-${round}`, 6]).sort(),
    ]);
  });

  test('nodes that create checks in several projects, in any order, while others come by the API, hold up nobody', async () => {
    const owner = await app().givenProject({ limits: { checks: 1_000, pings: 100 } });
    const other = await app().givenProject({ limits: { checks: 1_000, pings: 100 } });
    const projects = [
      owner.project,
      other.project,
      ...(await Promise.all([owner, other, owner].map(({ ownerId }) => app().givenProject({ ownerId })))).map(
        ({ project }) => project,
      ),
    ];
    const digests: string[] = [];
    for (const project of projects) digests.push(pingKeyDigest(await givenPingKey(app(), project)));
    const roll = dice(11);
    const before = repeated();
    const created: number[] = [];

    const ping = async ({ deps }: Node) => {
      for (let round = 0; round < 10; round++) {
        const batch = Array.from({ length: 6 }, () =>
          incomingPing({ pingKeyDigest: digests[roll(5)] ?? '', slug: `job-${roll(40)}`, create: true }),
        );
        const outcomes = await ingestPings(deps, batch);
        for (const outcome of outcomes)
          assert.ok(outcome === 'created' || outcome === 'recorded', `${outcome}`);
        created.push(outcomes.filter((outcome) => outcome === 'created').length);
      }
    };
    const create = async ({ deps }: Node) => {
      for (let round = 0; round < 10; round++) {
        const actor = systemActor(projects[roll(5)]?.id ?? 0);
        await createCheck(deps, actor, { edit: { name: 'by the API' }, match: null });
        created.push(1);
      }
    };
    await Promise.all(nodes.flatMap((node) => [ping(node), create(node)]));

    const lists = await Promise.all(projects.map(({ id }) => app().deps.store.checks.ofProject(id)));
    const slugs = lists.map((list) => list.map(({ slug }) => slug).filter((slug) => slug !== ''));
    for (const list of slugs) assert.equal(new Set(list).size, list.length, 'every slug is there once');
    const total = lists.reduce((sum, list) => sum + list.length, 0);
    assert.equal(
      total,
      created.reduce((sum, count) => sum + count, 0),
    );
    assert.equal(repeated() - before, 0, 'no transaction had to be done again');
  });
});
