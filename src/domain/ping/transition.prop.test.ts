import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Instant, Micros } from '../../lib/instant.ts';
import { isTold } from '../alert/delivery.ts';
import { aCheck, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Check, Status, StoredStatus } from '../check/check.ts';
import { type CheckEdit, editCheck } from '../check/check-edit.ts';
import type { NewFlip } from '../check/flip.ts';
import { deadlineOf, graceStart, statusAt } from '../check/status.ts';
import type { Signal } from './ping.ts';
import {
  editQuietly,
  effectiveSignal,
  missDeadline,
  pause,
  receivePing,
  resume,
  resumeExpecting,
  undoPause,
} from './transition.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20240301;
const RUNS = 1_500;

const RIDS = [null, '9f2a3a37-1f4d-4a3b-8a44-000000000001', '9f2a3a37-1f4d-4a3b-8a44-000000000002'];
const SIGNALS: readonly Signal[] = ['success', 'fail', 'start', 'log', 'ign'];

/** With a short period, so that runs and schedule get in each other's way. */
const INITIAL = aCheck({ timeoutSeconds: 3_600, graceSeconds: 3_600 });

/** Schedules whose next run can be told without a parser, in UTC. */
const SCHEDULES = [
  { kind: 'cron', expression: '0 * * * *', next: (from: Instant) => (Math.floor(from / HOUR) + 1) * HOUR },
  { kind: 'oncalendar', expression: '00:00', next: (from: Instant) => (Math.floor(from / DAY) + 1) * DAY },
  { kind: 'oncalendar', expression: '2019-01-01', next: () => null },
] as const;

type Edit =
  | { timeoutSeconds: number }
  | { graceSeconds: number }
  | { manualResume: boolean }
  | { schedule: (typeof SCHEDULES)[number] };

type Step = { readonly after: Micros } & (
  | { readonly does: 'ping'; readonly signal: Signal; readonly rid: string | null; readonly age: Micros }
  | { readonly does: 'pause' | 'resume' | 'resumeExpecting' | 'look' }
  | { readonly does: 'edit'; readonly edit: Edit; readonly isQuiet: boolean }
);

/** Often nothing, often just about the spans that matter: grace, period, and a microsecond around them. */
const span: fc.Arbitrary<Micros> = fc.oneof(
  fc.constantFrom(0, 0, 1, MINUTE, 30 * MINUTE, HOUR - 1, HOUR, HOUR + 1, DAY - 1, DAY, DAY + HOUR, 3 * DAY),
  fc.integer({ min: 0, max: 2 * HOUR }),
  fc.integer({ min: 0, max: 2 * DAY }),
);

const ping = fc.record({
  after: span,
  does: fc.constant('ping' as const),
  signal: fc.constantFrom(...SIGNALS),
  rid: fc.constantFrom(...RIDS),
  age: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: span }),
});

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ timeoutSeconds: fc.constantFrom(60, 3_600, 86_400, 31_536_000) }),
  fc.record({ graceSeconds: fc.constantFrom(60, 3_600, 7_200) }),
  fc.record({ manualResume: fc.boolean() }),
  fc.record({ schedule: fc.constantFrom(...SCHEDULES) }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: ping },
  {
    weight: 2,
    arbitrary: fc.record({
      after: span,
      does: fc.constantFrom('pause', 'resume', 'resumeExpecting', 'look'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ after: span, does: fc.constant('edit' as const), edit, isQuiet: fc.boolean() }),
  },
);

const steps = fc.array(step, { maxLength: 30, size: 'max' });

/** The check and everything recorded of it, as the code under test has it. */
interface Recorded {
  check: Check;
  flips: readonly NewFlip[];
}

function act({ check, flips }: Recorded, step: Step, now: Instant): Recorded {
  switch (step.does) {
    case 'edit':
      if (step.isQuiet) return joined(flips, editQuietly(check, toCheckEdit(step.edit), now));
      return { check: editCheck(check, toCheckEdit(step.edit)), flips };
    case 'ping':
      return joined(flips, receivePing(check, step.signal, step.rid, now, now - step.age));
    case 'pause':
      return joined(flips, pause(check, now));
    case 'resume':
      // The service refuses to resume any other check.
      return check.status === 'paused' ? joined(flips, resume(check, now)) : { check, flips };
    case 'resumeExpecting':
      return check.status === 'paused' ? joined(flips, resumeExpecting(check, now)) : { check, flips };
    case 'look':
      return joined(flips, missDeadline(check, now));
  }
}

function toCheckEdit(edit: Edit): CheckEdit {
  if (!('schedule' in edit)) return edit;
  const { kind, expression } = edit.schedule;
  return { schedule: { kind, expression } };
}

function joined(before: readonly NewFlip[], { check, flips }: Recorded): Recorded {
  return { check, flips: [...before, ...flips] };
}

/** An event, told in the words of the specification. */
type Happening =
  | {
      readonly what: 'signal';
      readonly signal: Signal;
      readonly rid: string | null;
      readonly at: Instant;
      readonly grace: Micros;
    }
  | { readonly what: 'pause' | 'resume'; readonly at: Instant }
  | { readonly what: 'timeout'; readonly at: Instant; readonly grace: Micros };

interface Run {
  readonly rid: string | null;
  readonly at: Instant;
  /** It has hung, and is told of. */
  readonly reported: boolean;
}

/**
 * The specification as naively as can be: it remembers everything that ever happened and works each value
 * out anew from there.
 */
class Model {
  readonly history: Happening[] = [];
  readonly flips: { from: StoredStatus; to: StoredStatus; reason: string; at: Instant }[] = [];
  readonly lastDurations: (Micros | null)[] = [];
  pings = 0;
  timeout: Micros = HOUR;
  grace: Micros = HOUR;
  manualResume = false;
  next: ((from: Instant) => Instant | null) | null = null;

  get status(): StoredStatus {
    return this.flips.at(-1)?.to ?? 'new';
  }

  get lastPing(): Instant | null {
    const sinceResume = this.history.slice(this.history.findLastIndex(({ what }) => what === 'resume') + 1);
    const ends = sinceResume.filter((one) => one.what === 'signal' && isEnd(one.signal));
    return ends.at(-1)?.at ?? null;
  }

  /** The last start, unless something after it ended the run. */
  get run(): Run | null {
    const index = this.history.findLastIndex((one) => one.what === 'signal' && one.signal === 'start');
    const start = this.history[index];
    if (start?.what !== 'signal') return null;
    let reported = false;
    for (const later of this.history.slice(index + 1)) {
      if (later.what === 'pause' || later.what === 'resume') return null;
      if (later.what === 'timeout') reported ||= later.at >= start.at + later.grace;
      if (later.what !== 'signal' || !isEnd(later.signal)) continue;
      const isOwn = later.rid === start.rid && later.rid !== null;
      if (isOwn || (later.at >= start.at && (later.signal === 'fail' || later.rid === null))) return null;
      // The outage that this success ended was known; a run that hung during it is not news.
      reported ||= later.at >= start.at + later.grace;
    }
    return { rid: start.rid, at: start.at, reported };
  }

  /** When a ping is expected by the schedule alone. */
  get due(): Instant | null {
    const from = this.status === 'new' ? (this.flips.at(-1)?.at ?? null) : this.lastPing;
    if (this.status === 'down' || this.status === 'paused' || this.lastPing === null || from === null)
      return null;
    return this.next === null ? from + this.timeout : this.next(from);
  }

  get graceStart(): Instant | null {
    if (this.status === 'down') return null;
    const watched = this.run === null || this.run.reported ? null : this.run.at;
    const candidates = [this.due, watched].filter((one) => one !== null);
    return candidates.length === 0 ? null : Math.min(...candidates);
  }

  get deadline(): Instant | null {
    return this.graceStart === null ? null : this.graceStart + this.grace;
  }

  shown(now: Instant): Status {
    if (this.run !== null && !this.run.reported && now >= this.run.at + this.grace) return 'down';
    if (this.due === null) return this.status;
    if (now >= this.due + this.grace) return 'down';
    return now >= this.due ? 'grace' : this.status;
  }

  /** The alert loop looks, or a ping makes up for its not having looked. */
  look(now: Instant): void {
    const { deadline } = this;
    if (deadline === null || deadline > now) return;
    this.history.push({ what: 'timeout', at: deadline, grace: this.grace });
    this.flip('down', 'timeout', deadline);
  }

  ping({ signal, rid, age }: Extract<Step, { does: 'ping' }>, now: Instant): void {
    this.look(now);
    this.pings++;
    const counts = this.status === 'paused' && this.manualResume ? 'ign' : signal;
    const at = now - age;
    if (age > 0 && !this.isNews(counts, rid, at, now)) return;
    if (isEnd(counts)) {
      const { run } = this;
      const isOwn = run !== null && run.rid === rid && (rid !== null || at >= run.at);
      this.lastDurations.push(isOwn ? Math.max(0, at - run.at) : null);
    }
    if (counts === 'start') this.resume(now);
    this.history.push({ what: 'signal', signal: counts, rid, at, grace: this.grace });
    if (counts === 'success') this.flip('up', '', now);
    if (counts === 'fail') this.flip('down', 'fail', now);
  }

  /** Whether something that happened earlier still counts. */
  isNews(signal: Signal, rid: string | null, at: Instant, now: Instant): boolean {
    const { lastPing, run, status } = this;
    if (signal === 'log' || signal === 'ign') return false;
    if (lastPing !== null && lastPing >= at) return false;
    const resumed = this.flips.at(-1)?.at ?? at;
    // A late start may have resumed the check. What came after that start is not older than the resume.
    if ((status === 'new' || status === 'paused') && at < resumed && (run === null || at < run.at))
      return false;
    if (signal === 'start') return (run === null || run.at < at) && at + this.grace > now;
    const due = this.next === null ? at + this.timeout : this.next(at);
    if (due !== null && due + this.grace <= now) return false;
    if (signal === 'fail' || run === null) return true;
    const endsRun = rid === null ? at >= run.at : rid === run.rid;
    const hungAt = run.at + this.grace;
    return endsRun || hungAt > now || hungAt <= at;
  }

  pause(now: Instant): void {
    if (this.status === 'paused') return;
    this.look(now);
    this.history.push({ what: 'pause', at: now });
    this.flip('paused', '', now);
  }

  resume(now: Instant): void {
    if (this.status !== 'paused') return;
    this.history.push({ what: 'resume', at: now });
    this.flip('new', '', now);
  }

  resumeExpecting(now: Instant): void {
    if (this.status === 'paused') this.flip('new', '', now);
  }

  edit(edit: Edit): void {
    if ('timeoutSeconds' in edit) {
      this.timeout = edit.timeoutSeconds * 1e6;
      this.next = null;
    }
    if ('graceSeconds' in edit) this.grace = edit.graceSeconds * 1e6;
    if ('manualResume' in edit) this.manualResume = edit.manualResume;
    if ('schedule' in edit) this.next = edit.schedule.next;
  }

  editQuietly(edit: Edit, now: Instant): void {
    this.look(now);
    this.edit(edit);
    if (this.status !== 'up' || this.deadline === null || this.deadline > now) return;
    this.history.push({ what: 'timeout', at: now, grace: this.grace });
    this.flip('down', '', now);
  }

  flip(to: StoredStatus, reason: string, at: Instant): void {
    const last = this.flips.at(-1);
    if (this.status === to) return;
    this.flips.push({ from: this.status, to, reason, at: Math.max(at, last?.at ?? at) });
  }
}

function isEnd(signal: Signal): signal is 'success' | 'fail' {
  return signal === 'success' || signal === 'fail';
}

function actOnModel(model: Model, step: Step, now: Instant): void {
  if (step.does === 'ping') model.ping(step, now);
  else if (step.does === 'edit' && step.isQuiet) model.editQuietly(step.edit, now);
  else if (step.does === 'edit') model.edit(step.edit);
  else model[step.does](now);
}

/** Does the steps one after the other, and lets `inspect` see the state after each. */
function play(
  steps: readonly Step[],
  inspect: (recorded: Recorded, now: Instant, step: Step, before: Recorded) => void,
): Recorded {
  let recorded: Recorded = { check: INITIAL, flips: [] };
  let now = NOW;
  for (const step of steps) {
    now += step.after;
    const before = recorded;
    recorded = act(before, step, now);
    inspect(recorded, now, step, before);
  }
  return recorded;
}

function assertChained(flips: readonly NewFlip[]): void {
  for (const [index, flip] of flips.entries()) {
    const previous = flips[index - 1];
    assert.equal(flip.oldStatus, previous?.newStatus ?? 'new');
    assert.notEqual(flip.oldStatus, flip.newStatus);
    assert.ok(flip.createdAt >= (previous?.createdAt ?? 0), 'a flip lies before the one before it');
    if (flip.newStatus !== 'down') assert.equal(flip.reason, '');
    // Only an edit takes a check down without a reason, and only one that was up.
    else if (flip.reason === '') assert.equal(flip.oldStatus, 'up');
  }
}

function assertHolds(property: (steps: Step[]) => void): void {
  fc.assert(fc.property(steps, property), { seed: SEED, numRuns: RUNS });
}

suite('whatever happens to a check', () => {
  test('its flips chain, never go back in time and end in its status', () => {
    assertHolds((steps) => {
      const { check, flips } = play(steps, () => undefined);

      assertChained(flips);
      assert.equal(check.status, flips.at(-1)?.newStatus ?? 'new');
      assert.equal(check.lastFlipAt, flips.at(-1)?.createdAt ?? null);
    });
  });

  test('no flip lies in the future, and a timeout lies exactly where its deadline was', () => {
    assertHolds((steps) => {
      play(steps, ({ flips }, now, _step, before) => {
        const added = flips.slice(before.flips.length);
        for (const flip of added) assert.ok(flip.createdAt <= now);
        for (const { createdAt } of added.filter(({ reason }) => reason === 'timeout')) {
          const earliest = before.check.lastFlipAt ?? 0;
          assert.equal(createdAt, Math.max(before.check.deadlineAt ?? Number.NaN, earliest));
        }
      });
    });
  });

  test('its deadline is what follows from the rest, and is there exactly when something is watched', () => {
    assertHolds((steps) => {
      play(steps, ({ check }) => {
        const runIsWatched = check.lastStartAt !== null && !check.runReported;
        const isExpected = check.status === 'up' || (check.status === 'new' && check.lastPingAt !== null);
        const scheduleIsWatched = isExpected && check.schedule !== '2019-01-01';
        const isWatched = check.status !== 'down' && (runIsWatched || scheduleIsWatched);

        assert.equal(check.deadlineAt, deadlineOf(check));
        // A simple check keeps the schedule that it does not use.
        if (check.kind !== 'simple' || check.schedule !== '2019-01-01')
          assert.equal(check.deadlineAt !== null, isWatched);
      });
    });
  });

  test('it is shown as down from its deadline on, and not a microsecond sooner', () => {
    assertHolds((steps) => {
      play(steps, ({ check }) => {
        const { deadlineAt, status } = check;
        if (deadlineAt === null) return;
        assert.equal(statusAt(check, deadlineAt), 'down');
        assert.equal(statusAt(check, deadlineAt + 100 * DAY), 'down');
        assert.notEqual(statusAt(check, deadlineAt - 1), 'down');
        assert.notEqual(status, 'paused');
        if (status === 'new' && check.lastPingAt === null)
          assert.equal(statusAt(check, deadlineAt - 1), status);
      });
    });
  });

  test('a pause that is undone has changed nothing, apart from an outage that it found', () => {
    assertHolds((steps) => {
      play(steps, ({ check }, now) => {
        const paused = pause(check, now);
        if (paused.before === null) return;

        assert.deepEqual(undoPause(paused.check, paused.before), missDeadline(check, now).check);
      });
    });
  });

  test('a check that is resumed and expected goes down unless it pings, and is not overdue before', () => {
    assertHolds((steps) => {
      play(steps, ({ check }, now) => {
        if (check.status !== 'paused' || check.lastPingAt === null) return;
        const { check: resumed } = resumeExpecting(check, now);

        assert.equal(statusAt(resumed, now), 'new');
        const { deadlineAt } = resumed;
        if (deadlineAt === null) return assert.equal(resumed.schedule, '2019-01-01');
        assert.ok(deadlineAt > now);
        assert.ok(missDeadline(resumed, deadlineAt).flips.every(isTold));
        assert.equal(missDeadline(resumed, deadlineAt).check.status, 'down');
      });
    });
  });

  test('a success is followed by up, a failure by down, unless the check must be resumed by hand', () => {
    assertHolds((steps) => {
      play(steps, ({ check }, now, step, before) => {
        if (step.does !== 'ping' || step.age > 0) return;
        const signal = effectiveSignal(before.check, step.signal);
        if (signal === 'fail') assert.equal(statusAt(check, now), 'down');
        // The run that the success leaves open may still be in time, but not over.
        if (signal === 'success') assert.equal(statusAt(check, now), 'up');
        if (signal === 'ign' && step.signal !== 'ign') assert.equal(check.status, 'paused');
      });
    });
  });

  test('every ping is counted, and nothing else is', () => {
    assertHolds((steps) => {
      const { check } = play(steps, () => undefined);

      assert.equal(check.pingCount, steps.filter(({ does }) => does === 'ping').length);
    });
  });

  test('it agrees with the specification read naively', () => {
    assertHolds((steps) => {
      const model = new Model();
      play(steps, ({ check, flips }, now, step) => {
        actOnModel(model, step, now);

        assert.deepEqual(
          flips.map(({ oldStatus, newStatus, reason, createdAt }) => ({
            from: oldStatus,
            to: newStatus,
            reason,
            at: createdAt,
          })),
          model.flips,
        );
        assert.deepEqual(
          {
            status: check.status,
            pings: check.pingCount,
            lastPing: check.lastPingAt,
            start: check.lastStartAt,
            rid: check.lastStartAt === null ? null : check.lastStartRid,
            lastDuration: check.lastDuration,
            graceStart: graceStart(check),
            deadline: check.deadlineAt,
          },
          {
            status: model.status,
            pings: model.pings,
            lastPing: model.lastPing,
            start: model.run?.at ?? null,
            rid: model.run?.rid ?? null,
            lastDuration: model.lastDurations.at(-1) ?? null,
            graceStart: model.graceStart,
            deadline: model.deadline,
          },
        );
        for (const later of [0, 1, MINUTE, HOUR - 1, HOUR, DAY - 1, DAY, DAY + HOUR, 400 * DAY])
          assert.equal(statusAt(check, now + later), model.shown(now + later));
      });
    });
  });
});

suite('a ping that comes late', () => {
  test('does what it does without an age, or nothing, and never puts off a deadline further', () => {
    assertHolds((steps) => {
      play(steps, ({ check, flips }, now, step, before) => {
        if (step.does !== 'ping') return;
        const none = missDeadline(before.check, now);
        const usual = receivePing(before.check, step.signal, step.rid, now);
        const added = flips.slice(before.flips.length);

        const wanted = added.length === none.flips.length ? none : usual;
        assert.deepEqual(added, wanted.flips);
        assert.equal(check.status, wanted.check.status);
        assert.equal(check.pingCount, usual.check.pingCount);
        const latest = Math.max(deadlineOrNever(none.check), deadlineOrNever(usual.check));
        assert.ok(deadlineOrNever(check) <= latest, 'a deadline is later than without an age');
        if (step.age > 0)
          assert.ok(added.every(({ createdAt, reason }) => reason === 'timeout' || createdAt === now));
      });
    });
  });

  /** A ping among others, and how long it is under way. */
  const delayed = fc
    .record({
      before: fc.array(ping, { maxLength: 8 }),
      late: ping,
      meanwhile: fc.array(ping, { maxLength: 4 }),
      until: span,
    })
    // A check forgets a run that hung when the next one begins, and no run begins after its own end.
    .filter(({ before, late, meanwhile }) => {
      const starts = (pings: typeof before) => pings.filter(({ signal }) => signal === 'start');
      const isOfOther = starts(meanwhile).every(({ rid }) => rid === null || rid !== late.rid);
      return isOfOther && starts([...before.slice(-1), ...meanwhile]).length < 2;
    });

  /** The check when the ping has come: in time, and late. */
  function worlds({
    before,
    late,
    meanwhile,
    until,
  }: typeof delayed extends fc.Arbitrary<infer T> ? T : never) {
    let now = NOW;
    const go = (check: Check, { after, signal, rid }: (typeof before)[number]) => {
      // No two at the same time: late, their order would not be known.
      now += after + 1;
      return receivePing(check, signal, rid, now).check;
    };
    const start = before.reduce(go, INITIAL);
    const at = now + late.after + 1;
    now = at;
    const inTime = meanwhile.reduce(go, receivePing(start, late.signal, late.rid, at).check);
    now = at;
    const without = meanwhile.reduce(go, start);
    const end = now + until + 1;
    const { check, flips } = receivePing(without, late.signal, late.rid, end, at);
    return { start, inTime: missDeadline(inTime, end).check, check, flips, end };
  }

  test('brings a check up, or takes it down, only if it would be so had the ping come in time', () => {
    fc.assert(
      fc.property(delayed, (life) => {
        const { inTime, check, flips, end } = worlds(life);
        const [flip] = flips.filter(({ reason, newStatus }) => reason === 'fail' || newStatus === 'up');
        if (flip !== undefined) assert.equal(statusAt(inTime, end) === 'down', check.status === 'down');
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test('of a job that stops leads to no later alarm than if it had come in time', () => {
    fc.assert(
      fc.property(delayed, (life) => {
        const { start, inTime, check } = worlds({ ...life, late: { ...life.late, signal: 'success' } });
        if (start.status !== 'up') return;
        const isDown = check.status === 'down';
        assert.ok(isDown || deadlineOrNever(check) <= deadlineOrNever(inTime) || inTime.status === 'down');
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });
});

function deadlineOrNever({ deadlineAt }: Check): Instant {
  return deadlineAt ?? Number.POSITIVE_INFINITY;
}

suite('however late the alert loop is', () => {
  test('pings find the same history as if it had looked at every deadline', () => {
    fc.assert(
      fc.property(fc.array(ping, { maxLength: 30, size: 'max' }), fc.boolean(), (pings, manualResume) => {
        const initial = { ...INITIAL, manualResume };
        let lazy: Recorded = { check: initial, flips: [] };
        let prompt: Recorded = lazy;
        let now = NOW;
        for (const step of pings) {
          now += step.after;
          lazy = act(lazy, step, now);
          const { deadlineAt } = prompt.check;
          if (deadlineAt !== null && deadlineAt <= now)
            prompt = joined(prompt.flips, missDeadline(prompt.check, deadlineAt));
          prompt = act(prompt, step, now);

          assert.deepEqual(lazy, prompt);
        }
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });
});

suite('a clock that is set back', () => {
  test('still leaves flips that chain and never go back in time', () => {
    const jumps = fc.array(fc.tuple(step, fc.integer({ min: -2 * HOUR, max: 2 * HOUR })), { maxLength: 30 });
    fc.assert(
      fc.property(jumps, (steps) => {
        let recorded: Recorded = { check: INITIAL, flips: [] };
        let now = NOW;
        for (const [step, jump] of steps) {
          now += jump;
          recorded = act(recorded, step, now);
        }

        assertChained(recorded.flips);
        assert.equal(recorded.check.deadlineAt, deadlineOf(recorded.check));
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });
});
