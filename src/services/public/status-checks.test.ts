import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredStatus } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { type History, historyOf, joined } from '../../domain/history/uptime.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { Reads, TimedCheck } from '../../storage/store.ts';
import { CHECKS_AT_ONCE, FLIPS_AT_ONCE, lookAtChecks, type SeenCheck } from './status-checks.ts';

const DAY = seconds(86_400);
const DAYS = { first: 10 * DAY, today: 99 * DAY, now: 99 * DAY + seconds(3_600) };

/** A check that went down and up so many times, from before the first day until now. */
function flipsOf(checkId: number, count: number): Flip[] {
  const from = DAYS.first - DAY;
  const step = Math.floor((DAYS.now - from) / count);
  return Array.from({ length: count }, (_, n) => ({
    id: checkId * 1_000_000 + n,
    checkId,
    createdAt: from + n * step,
    oldStatus: statusOf(n),
    newStatus: statusOf(n + 1),
    reason: '',
    cause: '',
  }));
}

function statusOf(n: number): StoredStatus {
  return n % 2 === 0 ? 'up' : 'down';
}

/** Reads that answer from memory, and tell how much was read at once. */
function given(counts: readonly number[]) {
  const flips = new Map(counts.map((count, id) => [id, flipsOf(id, count)]));
  const seen = { checks: [] as number[], mostFlips: 0 };
  const noted = (read: Flip[]) => {
    seen.mostFlips = Math.max(seen.mostFlips, read.length);
    return read;
  };
  const all = (ids: readonly number[]) => ids.flatMap((id) => flips.get(id) ?? []);
  const reads = {
    checks: {
      timedByIds: async (ids: readonly number[]) => {
        seen.checks.push(...ids);
        return ids.map((id) => checkOf(id, counts[id] ?? 0));
      },
    },
    flips: {
      ofChecks: async (ids: readonly number[], from: Instant, limit = Number.POSITIVE_INFINITY) =>
        noted(
          all(ids)
            .filter(({ createdAt }) => createdAt >= from)
            .slice(0, limit),
        ),
      lastBefore: async (ids: readonly number[], before: Instant) =>
        ids.flatMap((id) => flips.get(id)?.findLast(({ createdAt }) => createdAt < before) ?? []),
      ofCheck: async (
        id: number,
        { from, before }: { from: Instant; before: Instant },
        { after, limit }: { after: Flip | null; limit: number },
      ) =>
        noted(
          (flips.get(id) ?? [])
            .filter((flip) => flip.createdAt >= from && flip.createdAt < before)
            .filter((flip) => after === null || flip.id < after.id)
            .reverse()
            .slice(0, limit),
        ),
    },
    quietTimes: {
      spansSince: async (ids: readonly number[]) => (ids.length === 0 ? [] : assert.fail()),
    },
  } as unknown as Pick<Reads, 'checks' | 'flips' | 'quietTimes'>;
  return { reads, flips, seen };
}

function checkOf(id: number, flipCount: number): TimedCheck {
  return {
    ...{ id, status: statusOf(flipCount), kind: 'simple', timeoutSeconds: 86_400, graceSeconds: 3_600 },
    ...{ schedule: '', tz: 'UTC', lastPingAt: DAYS.now, lastStartAt: null, runReported: false },
    ...{ runRules: '', lastAliveAt: null },
    lastFlipAt: null,
    excusedUntilAt: null,
    quietFromAt: null,
    quietUntilAt: null,
    snoozedUntilAt: null,
  };
}

/** The history of the check when all of its flips are looked at together. */
function wholeHistory(flips: readonly Flip[]): History {
  const known = flips.filter(({ createdAt }) => createdAt < DAYS.now);
  const span = { from: DAYS.first, until: DAYS.now };
  return historyOf(known, statusOf(flips.length), span);
}

async function lookAt(
  counts: readonly number[],
  needsPast: (id: number) => boolean = () => true,
): Promise<ReturnType<typeof given> & { readonly checks: readonly SeenCheck[]; readonly portions: number }> {
  const world = given(counts);
  const ids = [...counts.keys()];
  const portions = await Array.fromAsync(lookAtChecks(world.reads, ids, DAYS, needsPast));
  const checks = portions.flat().toSorted((a, b) => a.id - b.id);
  return { ...world, checks, portions: portions.length };
}

test('each check is looked at once, some hundred at a time', async () => {
  const counts = Array.from({ length: 2 * CHECKS_AT_ONCE + 1 }, (_, id) => id % 5);

  const { checks, seen, flips, portions } = await lookAt(counts);

  assert.deepEqual(seen.checks, [...counts.keys()]);
  assert.equal(portions, 3);
  assert.deepEqual(
    checks.map(({ today, before }) => joined([before, today])),
    counts.map((_, id) => wholeHistory(flips.get(id) ?? [])),
  );
});

test('checks that change all the time are looked at in portions, and tell the same', async () => {
  const counts = [3, 2 * FLIPS_AT_ONCE + 7, 0, FLIPS_AT_ONCE - 1, FLIPS_AT_ONCE + 1, 12];

  const { checks, seen, flips, portions } = await lookAt(counts);

  assert.deepEqual(seen.checks, [...counts.keys()]);
  assert.ok(seen.mostFlips <= FLIPS_AT_ONCE + 1, `${seen.mostFlips} flips at once`);
  assert.ok(portions > counts.length);
  assert.deepEqual(
    checks.map(({ today, before }) => joined([before, today])),
    counts.map((_, id) => wholeHistory(flips.get(id) ?? [])),
  );
  assert.deepEqual(
    checks.map(({ downSince }) => downSince),
    counts.map((count, id) =>
      statusOf(count) === 'down' ? (flips.get(id)?.at(-1)?.createdAt ?? null) : null,
    ),
  );
});

test('the days before today are read only for checks that need them', async () => {
  const counts = [500, 500];

  const { checks, flips } = await lookAt(counts, (id) => id === 0);

  const [whole = assert.fail(), recent = assert.fail()] = checks;
  assert.deepEqual(recent.before, { watched: [], down: [] });
  assert.deepEqual(recent.today, whole.today);
  assert.deepEqual(joined([whole.before, whole.today]), wholeHistory(flips.get(0) ?? []));
});
