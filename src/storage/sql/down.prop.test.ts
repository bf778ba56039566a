import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { forEachEngine, openTestDatabase, type TestStore } from '../../../test/engines.ts';
import { accountRecord, checkRecord, projectRecord } from '../../../test/records.ts';
import { DAY, HOUR, MINUTE, NOW } from '../../domain/check/check.test-support.ts';
import type { CheckState, CheckSummary, NewCheck } from '../../domain/check/check.ts';
import { deadlineOf, statusAt } from '../../domain/check/status.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Writes } from '../store.ts';
import { rolledBack } from './prop.test-support.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20240301;
const RUNS = 200;
const MANY = 1_000;

/** Often just about the spans that matter: grace, period, and a microsecond around them. */
const span: fc.Arbitrary<Micros> = fc.oneof(
  fc.constantFrom(0, 1, MINUTE, HOUR - 1, HOUR, HOUR + 1, 2 * HOUR - 1, 2 * HOUR, 2 * HOUR + 1, DAY),
  fc.integer({ min: 0, max: 3 * HOUR }),
);
const past: fc.Arbitrary<Instant> = span.map((ago) => NOW - ago);

const config = fc.record({
  kind: fc.constantFrom('simple', 'cron', 'oncalendar'),
  timeoutSeconds: fc.constantFrom(60, 3_600),
  graceSeconds: fc.constantFrom(60, 3_600),
  runRules: fc.constantFrom(
    '',
    '{"begin_within":60}',
    '{"end_within":7200}',
    '{"begin_within":3600,"end_within":60}',
    '{"end_within":0}',
    '{"early":1800}',
  ),
  status: fc.constantFrom('new', 'up', 'down', 'paused'),
});

const state = fc.record({
  lastPingAt: fc.option(past),
  lastStartAt: fc.option(past),
  lastAliveAt: fc.option(past),
  runReported: fc.boolean(),
  excusedUntilAt: fc.option(
    fc.oneof(
      past,
      span.map((ahead) => NOW + ahead),
    ),
  ),
});

/** The first stored form of the check, and its form after pings. */
const history = fc.record({ config, before: state, now: fc.option(state) });
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

const moment: fc.Arbitrary<Instant> = fc.oneof(
  past,
  span.map((ahead) => NOW + ahead),
);

/** Both schedules have an occurrence every hour. */
const SCHEDULES = { simple: '', cron: '0 * * * *', oncalendar: '*:00' };

function recordOf(projectId: number, { config, before }: History): NewCheck {
  const record = checkRecord(projectId, { ...config, ...before, schedule: SCHEDULES[config.kind] });
  return { ...record, deadlineAt: deadlineOf(record) };
}

/** Stores them as pings do, which put deadlines off and leave alarms where they are. */
async function store(tx: Writes, projectId: number, histories: readonly History[]): Promise<CheckSummary[]> {
  for (const one of histories) {
    const { uuid } = await tx.checks.insert(recordOf(projectId, one));
    if (one.now === null) continue;
    const changes = (await tx.checks.lockMany([uuid])).map((before) => {
      const after = { ...before, ...one.now };
      return { before, after: { ...after, deadlineAt: deadlineOf(after) } };
    });
    await tx.checks.saveChanges(changes);
  }
  return tx.checks.ofProject(projectId);
}

async function newProject(tx: Writes): Promise<{ accountId: number; projectId: number }> {
  const { id: accountId } = await tx.accounts.insert(accountRecord());
  return { accountId, projectId: (await tx.projects.insert(projectRecord(accountId))).id };
}

const ids = (checks: readonly { id: number }[]) => checks.map(({ id }) => id).toSorted((a, b) => a - b);

const isDown = (check: CheckSummary, now: Instant) => statusAt(check, now) === 'down';

forEachEngine((engine) => {
  let opened: TestStore;
  before(async () => {
    opened = await openTestDatabase(engine);
  });
  after(() => opened[Symbol.asyncDispose]());

  test('the database calls the same checks down as the domain does, and the same ones overdue', async () => {
    const sets = fc.array(history, { minLength: 1, maxLength: 12 });
    const property = fc.asyncProperty(sets, moment, async (histories, now) => {
      await rolledBack(opened.store, async (tx) => {
        const { accountId, projectId } = await newProject(tx);
        const checks = await store(tx, projectId, histories);

        const down = checks.filter((check) => isDown(check, now));
        const unnoticed = down.filter(({ status }) => status !== 'down');
        const deadlines = unnoticed.map(({ deadlineAt }) => deadlineAt ?? Number.NaN);
        assert.deepEqual(ids(await tx.checks.downOfProject(projectId, now)), ids(down));
        assert.equal(await tx.mailPreferences.hasDown(accountId, now), down.length > 0);
        assert.equal(
          await tx.checks.oldestOverdueAt(now),
          deadlines.length === 0 ? null : Math.min(...deadlines),
        );
        await tx.checks.putOffAlarms(now, MANY);
        assert.deepEqual(ids(await tx.checks.lockOverdue(now, MANY)), ids(unnoticed));
      });
    });

    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });

  test('reminders begin with a check that is stored as down, and end with the last', async () => {
    const sets = fc.array(history, { maxLength: 6 });
    const property = fc.asyncProperty(sets, async (histories) => {
      await rolledBack(opened.store, async (tx) => {
        const { accountId, projectId } = await newProject(tx);
        const checks = await store(tx, projectId, histories);
        await tx.mailPreferences.setReminders(accountId, 3_600);

        await tx.mailPreferences.updateReminderDates([accountId], NOW);

        const preferences = await tx.mailPreferences.ofAccount(accountId);
        const isAnyDown = checks.some(({ status }) => status === 'down');
        assert.equal(preferences?.nextReminderAt, isAnyDown ? NOW + seconds(3_600) : null);
      });
    });

    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });

  test('no check that fell due after a time is down once it is excused, and no other deadline moves', async () => {
    const sets = fc.array(history, { minLength: 1, maxLength: 12 });
    const property = fc.asyncProperty(sets, span, async (histories, blind) => {
      await rolledBack(opened.store, async (tx) => {
        const { projectId } = await newProject(tx);
        const checks = await store(tx, projectId, histories);
        const since = NOW - blind;

        await tx.checks.excuseOverdue(since, NOW, MINUTE);

        const excused = new Map((await tx.checks.ofProject(projectId)).map((check) => [check.id, check]));
        for (const check of checks) {
          const left = excused.get(check.id);
          assert.ok(left);
          if (isDown(check, since) || !mayBeExcused(check, since)) assert.deepEqual(left, check);
          else assert.deepEqual(left, { ...check, ...excuseOf(check) });
        }
      });
    });

    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});

/** It fell due after `since`, or is down later only because it was excused beyond that time before. */
function mayBeExcused(check: CheckSummary, since: Instant): boolean {
  if (isDown(check, NOW)) return true;
  const { excusedUntilAt, deadlineAt } = check;
  return excusedUntilAt !== null && excusedUntilAt > since && deadlineAt === excusedUntilAt;
}

function excuseOf(check: CheckSummary): Pick<CheckState, 'excusedUntilAt' | 'deadlineAt'> {
  const until = NOW + Math.max(seconds(check.graceSeconds), MINUTE);
  return { excusedUntilAt: until, deadlineAt: until };
}
