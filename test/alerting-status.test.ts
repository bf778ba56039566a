import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, DAY, HOUR, MINUTE } from '../src/domain/check/check.test-support.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { Instant } from '../src/lib/instant.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { START, sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

/** A reader's view at some instant: the status in version 3, in version 1 where it differs, and `next_ping`. */
interface BeatResult {
  readonly at: Instant;
  readonly status: string;
  readonly v1?: string;
  readonly nextPing?: string | null;
}

interface Case {
  readonly name: string;
  readonly check: Partial<Check>;
  readonly deadline: Instant | null;
  readonly sights: readonly BeatResult[];
}

const MIDNIGHT = at('2000-01-01T00:00Z');

const CASES: readonly Case[] = [
  {
    name: 'a new check is new, waits for nothing and is not watched',
    check: {},
    deadline: null,
    sights: [{ at: START, status: 'new', nextPing: null }],
  },
  {
    name: 'a period and a grace after its last ping a check is late, then down, each at that very instant',
    check: { status: 'up', lastPingAt: START },
    deadline: START + DAY + HOUR,
    sights: [
      { at: START + DAY - 1, status: 'up', nextPing: '2024-03-02T12:00:00+00:00' },
      { at: START + DAY, status: 'grace', nextPing: '2024-03-02T12:00:00+00:00' },
      { at: START + DAY + HOUR - 1, status: 'grace' },
      { at: START + DAY + HOUR, status: 'down' },
    ],
  },
  ...(['cron', 'oncalendar'] as const).map((kind, index) => ({
    name: `${index + 3}: a check on the ${kind} schedule of every midnight is late from midnight on`,
    check: {
      status: 'up' as const,
      kind,
      schedule: kind === 'cron' ? '0 0 * * *' : '00:00',
      lastPingAt: MIDNIGHT,
    },
    deadline: MIDNIGHT + DAY + HOUR,
    sights: [
      { at: MIDNIGHT + DAY - MINUTE, status: 'up' },
      { at: MIDNIGHT + DAY, status: 'grace' },
      { at: MIDNIGHT + DAY + HOUR, status: 'down' },
    ],
  })),
  {
    name: 'ten o’clock in Brisbane is midnight in UTC',
    check: {
      status: 'up',
      kind: 'cron',
      schedule: '0 10 * * *',
      tz: 'Australia/Brisbane',
      lastPingAt: at('2020-01-01T12:00Z'),
    },
    deadline: at('2020-01-02T01:00Z'),
    sights: [
      { at: at('2020-01-01T23:59:59.999999Z'), status: 'up' },
      { at: at('2020-01-02T00:00Z'), status: 'grace', nextPing: '2020-01-02T00:00:00+00:00' },
    ],
  },
  {
    name: 'a schedule whose last run is over keeps a check up for ever',
    check: {
      status: 'up',
      kind: 'oncalendar',
      schedule: '2019-01-01',
      lastPingAt: at('2020-01-01T00:00Z'),
    },
    deadline: null,
    sights: [{ at: at('2120-01-01T00:00Z'), status: 'up', nextPing: null }],
  },
  {
    name: 'a paused check is paused, however long ago its last ping was',
    check: { status: 'paused', lastPingAt: START - 100 * DAY },
    deadline: null,
    sights: [{ at: START, status: 'paused', nextPing: null }],
  },
  {
    name: 'a new check whose run hangs is shown as down',
    check: { status: 'new', lastStartAt: START - 2 * HOUR },
    deadline: START - HOUR,
    sights: [{ at: START, status: 'down' }],
  },
  {
    name: 'a check that is down and runs again is down, and not watched',
    check: { status: 'down', lastPingAt: START - DAY, lastStartAt: START - MINUTE },
    deadline: null,
    sights: [{ at: START, status: 'down', v1: 'started', nextPing: null }],
  },
  {
    name: 'a check that is up and runs says so, and waits for the end of its run',
    check: { status: 'up', lastPingAt: START - HOUR, lastStartAt: START - 5 * MINUTE },
    deadline: START + 55 * MINUTE,
    sights: [{ at: START, status: 'up', v1: 'started', nextPing: '2024-03-01T11:55:00+00:00' }],
  },
  {
    name: 'a check that is up and whose run has lasted longer than grace is down',
    check: { status: 'up', lastPingAt: START - 3 * HOUR, lastStartAt: START - 2 * HOUR },
    deadline: START - HOUR,
    sights: [{ at: START, status: 'down' }],
  },
  {
    name: 'in the repeated hour the next run is the one after the last ping, not the hour before',
    check: {
      status: 'up',
      kind: 'cron',
      schedule: '15 * * * *',
      tz: 'Europe/Riga',
      graceSeconds: 300,
      lastPingAt: at('2023-10-29T00:55Z'),
    },
    deadline: at('2023-10-29T01:20Z'),
    sights: [{ at: at('2023-10-29T01:05Z'), status: 'up', nextPing: '2023-10-29T01:15:00+00:00' }],
  },
  {
    name: 'an hour of grace is 3600 seconds, also where clocks change within it',
    check: {
      status: 'up',
      kind: 'cron',
      schedule: '30 2 * * *',
      tz: 'Europe/Riga',
      lastPingAt: at('2021-03-27T12:00Z'),
    },
    deadline: at('2021-03-28T01:30Z'),
    sights: [
      { at: at('2021-03-28T01:29:59Z'), status: 'grace', nextPing: '2021-03-28T00:30:00+00:00' },
      { at: at('2021-03-28T01:30Z'), status: 'down' },
    ],
  },
  {
    name: 'a ping a moment too early does not count for the run to come',
    check: { status: 'up', kind: 'cron', schedule: '0 0 * * *', lastPingAt: MIDNIGHT - 100_000 },
    deadline: MIDNIGHT + HOUR,
    sights: [{ at: MIDNIGHT, status: 'grace', nextPing: '2000-01-01T00:00:00+00:00' }],
  },
  {
    name: 'a ping half a second late does',
    check: { status: 'up', kind: 'cron', schedule: '0 0 * * *', lastPingAt: MIDNIGHT + 500_000 },
    deadline: MIDNIGHT + DAY + HOUR,
    sights: [{ at: MIDNIGHT + MINUTE, status: 'up', nextPing: '2000-01-02T00:00:00+00:00' }],
  },
];

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  for (const { name, check: overrides, deadline, sights } of CASES) {
    test(name, async () => {
      const { project, key } = await app().givenProject();
      const check = await app().givenCheck(project, overrides);
      const seen = async (version: number) => {
        const reply = await app().request('GET', `/api/v${version}/checks/${check.uuid}`, { key });
        return reply.json as { status: string; started: boolean; next_ping: string | null };
      };

      assert.equal((await app().deps.store.checks.byUuid(check.uuid))?.deadlineAt, deadline);
      for (const { at: now, status, v1 = status, nextPing } of sights) {
        app().clock.set(now);
        const { next_ping, ...json } = await seen(3);
        assert.deepEqual([json.status, (await seen(1)).status], [status, v1]);
        assert.equal(json.started, (overrides.lastStartAt ?? null) !== null);
        if (nextPing !== undefined) assert.equal(next_ping, nextPing);
      }
    });
  }

  test('what is not down is not taken down, neither in grace nor after its last run', async () => {
    const { project } = await app().givenProject();
    const late = await app().givenCheck(project, { status: 'up', lastPingAt: START - DAY - HOUR + 1 });
    const over = await app().givenCheck(project, {
      status: 'up',
      kind: 'oncalendar',
      schedule: '2019-01-01',
      lastPingAt: at('2020-01-01T00:00Z'),
    });

    while (await flipOverdue({ ...app().deps, onPoison: () => undefined }));

    for (const { uuid } of [late, over]) {
      const check = (await app().deps.store.checks.byUuid(uuid)) ?? assert.fail();
      assert.deepEqual([check.status, check.lastFlipAt], ['up', null]);
    }
  });
});
