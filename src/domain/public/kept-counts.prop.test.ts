import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Instant, Micros } from '../../lib/instant.ts';
import { ChangeCollector } from '../change.ts';
import { ChangeMarks } from '../change-marks.ts';
import { aCheck, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Check } from '../check/check.ts';
import { type CheckEdit, editCheck } from '../check/check-edit.ts';
import { type IncomingPing, recordPing } from '../ping/incoming-ping.ts';
import { bringBack, missDeadline, pause, resume } from '../ping/transition.ts';
import { addCounts, areCountsTrue, type KeptCounts, mayChangeStatus, NO_CHECKS } from './kept-counts.ts';

const SEED = 20240301;
const RUNS = 3_000;
const PROJECT = 7;
const RIDS = [null, '9f2a3a37-1f4d-4a3b-8a44-000000000001', '9f2a3a37-1f4d-4a3b-8a44-000000000002'];

/** The rule under test, and rules that are a little wrong. */
interface Rule {
  readonly mayChangeStatus: typeof mayChangeStatus;
  readonly areCountsTrue: typeof areCountsTrue;
}

type Step =
  | { readonly does: 'ping'; readonly signal: IncomingPing['signal']; readonly rid: string | null }
  | { readonly does: 'pause' | 'resume' | 'look' | 'bring back' | 'excuse' | 'delete' }
  | { readonly does: 'edit'; readonly edit: CheckEdit };

interface Event {
  readonly of: number;
  /** Negative: the clock is set back. */
  readonly after: Micros;
  /** A badge is asked for at some instants between this event and the next. */
  readonly asks: readonly Micros[];
  readonly step: Step;
  /** The time between the instant that the event is dated at and its commit. */
  readonly lag: Micros;
}

const span: fc.Arbitrary<Micros> = fc.oneof(
  fc.constantFrom(
    0,
    0,
    1,
    MINUTE,
    HOUR - 1,
    HOUR,
    HOUR + 1,
    2 * HOUR,
    DAY - 1,
    DAY,
    DAY + HOUR,
    -MINUTE,
    -HOUR,
  ),
  fc.integer({ min: 0, max: 3 * HOUR }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('ping' as const),
      signal: fc.constantFrom('success', 'success', 'fail', 'start', 'start', 'log'),
      rid: fc.constantFrom(...RIDS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom('pause', 'resume', 'look', 'bring back', 'excuse', 'excuse', 'delete'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('edit' as const),
      edit: fc.oneof(
        fc.record({ timeoutSeconds: fc.constantFrom(60, 3_600, 86_400) }),
        fc.record({ graceSeconds: fc.constantFrom(60, 3_600, 7_200) }),
        fc.record({
          schedule: fc.constantFrom<NonNullable<CheckEdit['schedule']>>(
            { kind: 'cron', expression: '0 * * * *' },
            { kind: 'cron', expression: '30 2 * * *' },
            { kind: 'oncalendar', expression: '2019-01-01' },
          ),
        }),
      ),
    }),
  },
);

const events: fc.Arbitrary<Event[]> = fc.array(
  fc.record({
    of: fc.nat({ max: 2 }),
    after: span,
    asks: fc.array(span, { maxLength: 2 }),
    step,
    lag: fc.constantFrom(0, 0, 0, 1, MINUTE, HOUR + 1),
  }),
  { maxLength: 25, size: 'max' },
);

function pingOf(signal: IncomingPing['signal'], rid: string | null): IncomingPing {
  const about = { scheme: 'http', method: 'GET', remoteAddr: null, userAgent: '' };
  return {
    ...about,
    ...{ target: { uuid: '' }, fault: null, signal, exitStatus: null, rid, body: null, mail: null },
  };
}

/** A project whose badge is asked for between all that happens to its checks. */
class Project {
  readonly #rule: Rule;
  readonly #marks = new ChangeMarks();
  readonly #checks = new Map<number, Check>(
    [1, 2, 3].map((id) => [id, aCheck({ id, projectId: PROJECT, timeoutSeconds: 3_600, tz: 'Europe/Riga' })]),
  );
  #kept: KeptCounts | null = null;
  keptOften = 0;

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  happen(id: number, step: Step, now: Instant): void {
    // One that was deleted comes back as a new one.
    if (!this.#checks.has(id)) this.#write(aCheck({ id, projectId: PROJECT, timeoutSeconds: 3_600 }));
    const check = this.#checks.get(id);
    assert.ok(check !== undefined);
    if (step.does === 'ping') {
      const { check: after } = recordPing(check, pingOf(step.signal, step.rid), now);
      this.#write(after, this.#rule.mayChangeStatus(check, after));
    } else if (step.does === 'delete') {
      this.#write(check);
      this.#checks.delete(id);
    } else this.#write(changed(check, step, now));
  }

  #write(check: Check, touchesStatus = true): void {
    this.#checks.set(check.id, check);
    const touched = new ChangeCollector();
    touched.addCheck(check, touchesStatus);
    this.#marks.note(touched.take());
  }

  ask(now: Instant): void {
    const marks = this.#marks.of(PROJECT);
    const fresh = addCounts(NO_CHECKS, [...this.#checks.values()], now);
    if (this.#kept !== null && this.#rule.areCountsTrue(this.#kept, now, marks)) {
      this.keptOften++;
      assert.deepEqual(this.#kept.counts, fresh.counts);
    } else this.#kept = { ...fresh, marks };
  }
}

function changed(check: Check, step: Exclude<Step, { does: 'ping' }>, now: Instant): Check {
  switch (step.does) {
    case 'pause':
      return pause(check, now).check;
    case 'resume':
      return check.status === 'paused' ? resume(check, now).check : check;
    case 'look':
      return missDeadline(check, now).check;
    case 'bring back':
      return bringBack(check, now, HOUR);
    case 'excuse':
      return { ...check, excusedUntilAt: now + 6 * HOUR };
    case 'edit':
      return editCheck(check, step.edit);
    case 'delete':
      return check;
  }
}

/** Kept counts are fresh counts, at every instant of every life. Returns how often counts were kept. */
function holds(rule: Rule): number {
  let keptOften = 0;
  fc.assert(
    fc.property(events, (all) => {
      const project = new Project(rule);
      let now = NOW;
      for (const { of, after, asks, step, lag } of all) {
        now += after;
        project.ask(now);
        project.happen(of + 1, step, now - lag);
        project.ask(now);
        for (const ask of asks) project.ask(now + ask);
      }
      keptOften += project.keptOften;
    }),
    { seed: SEED, numRuns: RUNS },
  );
  return keptOften;
}

const RULE: Rule = { mayChangeStatus, areCountsTrue };

/** Each rule forgets one thing. */
const WRONG_RULES: Readonly<Record<string, Rule>> = {
  'that a ping takes a check out of grace': {
    ...RULE,
    areCountsTrue: (kept, now, marks) => areCountsTrue(kept, now, { ...marks, checks: kept.marks.checks }),
  },
  'that a status may have changed': {
    ...RULE,
    areCountsTrue: (kept, now, marks) =>
      areCountsTrue(kept, now, { ...marks, statuses: kept.marks.statuses }),
  },
  'when the span ends': {
    ...RULE,
    areCountsTrue: ({ span: { from }, ...kept }, now, marks) =>
      areCountsTrue({ ...kept, span: { from, until: Number.POSITIVE_INFINITY } }, now, marks),
  },
  'when the span begins': {
    ...RULE,
    areCountsTrue: ({ span: { until }, ...kept }, now, marks) =>
      areCountsTrue({ ...kept, span: { from: Number.NEGATIVE_INFINITY, until } }, now, marks),
  },
  'that a ping brings back a check that only time had taken down': {
    ...RULE,
    areCountsTrue: (kept, now, marks) =>
      areCountsTrue({ ...kept, isAnyLate: kept.counts.grace > 0 }, now, marks),
  },
  'the beginning of a run': {
    ...RULE,
    mayChangeStatus: (before, after) => mayChangeStatus({ ...before, lastStartAt: after.lastStartAt }, after),
  },
};

suite('kept counts and fresh counts', () => {
  test('are the same at every instant, and counts are often kept', () => {
    assert.ok(holds(RULE) > 5 * RUNS);
  });

  for (const [what, rule] of Object.entries(WRONG_RULES)) {
    test(`would differ by a rule that forgets ${what}`, () => {
      assert.throws(() => holds(rule));
    });
  }
});
