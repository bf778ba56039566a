import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { DAY, HOUR, MINUTE } from '../../src/domain/check/check.test-support.ts';
import type { Check, StoredStatus } from '../../src/domain/check/check.ts';
import type { CheckEdit } from '../../src/domain/check/check-edit.ts';
import type { CheckConfig } from '../../src/domain/check/settings.ts';
import type { IncomingPing } from '../../src/domain/ping/incoming-ping.ts';
import type { Signal } from '../../src/domain/ping/ping.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import { pauseCheck, resumeCheck, updateCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { ingestPings } from '../../src/services/ping/ingest.ts';
import { START, sharedTestApp } from '../app.ts';
import { form } from '../form.ts';
import { allFlips, pingsOf, stored } from './answers.ts';

// A failure prints the counterexample with its seed and path.
const SEEDS: Record<string, number> = {
  'a fixed seed': 20_240_301,
  ...(form.isLong && { 'a fresh seed': Math.floor(Math.random() * 2 ** 31) }),
};
const RUNS = form.isLong ? 150 : 50;

const SECOND = seconds(1);
const RIDS = [null, '9f2a3a37-1f4d-4a3b-8a44-00000000000a', '9f2a3a37-1f4d-4a3b-8a44-00000000000b'];
const BODIES = [null, 'all good', 'all bad', 'good and bad', 'begin', 'good, please Confirm', 'nothing'];

/** Schedules whose next run can be told without a parser, in UTC. */
const SCHEDULES = {
  '0 * * * *': (from: Instant) => (Math.floor(from / HOUR) + 1) * HOUR,
  '00:00': (from: Instant) => (Math.floor(from / DAY) + 1) * DAY,
  '2019-01-01': () => null,
};

type Action = {
  readonly signal: IncomingPing['signal'];
  readonly rid: string | null;
  readonly method: string;
  readonly body: string | null;
  readonly exitStatus: number | null;
  /** How long ago it happened. Undefined: the ping does not say. */
  readonly age: Micros | undefined;
};
type Step = { readonly after: Micros } & (
  | { readonly does: 'ping'; readonly pings: readonly Action[] }
  | { readonly does: 'pause' | 'resume' }
  | { readonly does: 'edit'; readonly edit: CheckEdit }
);

/** Often nothing, often just about the spans that matter; now and then the clock is set back. */
const after: fc.Arbitrary<Micros> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(0, 1, MINUTE, HOUR - 1, HOUR, HOUR + 1, 2 * HOUR, DAY, DAY + HOUR),
  },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 3 * HOUR }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, -MINUTE, -HOUR, -2 * DAY) },
);

const action: fc.Arbitrary<Action> = fc.record({
  signal: fc.constantFrom('success', 'start', 'fail', 'log'),
  rid: fc.constantFrom(...RIDS),
  method: fc.constantFrom('POST', 'POST', 'GET', 'HEAD'),
  body: fc.constantFrom(...BODIES),
  exitStatus: fc.constantFrom(null, 0, 3),
  age: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(0, SECOND - 1, SECOND, MINUTE, HOUR - 1, HOUR, HOUR + 1, 2 * HOUR, DAY),
    },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 * HOUR }) },
  ),
});

const edit: fc.Arbitrary<CheckEdit> = fc.oneof(
  fc.record({ timeoutSeconds: fc.constantFrom(60, 3_600, 86_400) }),
  fc.record({ graceSeconds: fc.constantFrom(60, 3_600, 7_200) }),
  fc.record({ manualResume: fc.boolean() }),
  fc.record({ methods: fc.constantFrom('', '', 'POST') }),
  fc.record({ filterHttpBody: fc.boolean(), filterDefaultFail: fc.boolean() }),
  fc.constant<CheckEdit>({ schedule: { kind: 'cron', expression: '0 * * * *' } }),
  fc.constant<CheckEdit>({ schedule: { kind: 'oncalendar', expression: '00:00' } }),
  fc.constant<CheckEdit>({ schedule: { kind: 'oncalendar', expression: '2019-01-01' } }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 7,
    arbitrary: fc.record({
      after,
      does: fc.constant('ping' as const),
      pings: fc.array(action, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ after, does: fc.constantFrom('pause', 'resume') }) },
  { weight: 2, arbitrary: fc.record({ after, does: fc.constant('edit' as const), edit }) },
);

interface ModelPing {
  n: number;
  signal: Signal;
  createdAt: Instant;
  occurredAt: Instant | null;
  rid: string | null;
  exitStatus: number | null;
  bodySize: number;
}

interface ModelFlip {
  oldStatus: StoredStatus;
  newStatus: StoredStatus;
  reason: string;
  createdAt: Instant;
}

/** The specification, written down rule by rule and as plainly as can be. */
class Model {
  status: StoredStatus = 'new';
  lastPing: Instant | null = null;
  lastSuccess: Instant | null = null;
  lastResult: 'success' | 'fail' | null = null;
  lastStart: Instant | null = null;
  lastStartRid: string | null = null;
  /** The open run has hung, and that is known: it may not take the check down again. */
  isHangKnown = false;
  lastDuration: Micros | null = null;
  hint = false;
  readonly pings: ModelPing[] = [];
  readonly flips: ModelFlip[] = [];
  config: Pick<
    CheckConfig,
    'timeoutSeconds' | 'graceSeconds' | 'manualResume' | 'methods' | 'filterHttpBody' | 'filterDefaultFail'
  > & { schedule: keyof typeof SCHEDULES | null } = {
    timeoutSeconds: 3_600,
    graceSeconds: 3_600,
    manualResume: false,
    methods: '',
    filterHttpBody: false,
    filterDefaultFail: false,
    schedule: null,
  };

  get grace(): Micros {
    return this.config.graceSeconds * 1_000_000;
  }

  /** When the next ping is expected by the schedule; only a check that is up expects one. */
  expected(): Instant | null {
    if (this.status !== 'up' || this.lastPing === null) return null;
    return this.expectedAfter(this.lastPing);
  }

  expectedAfter(result: Instant): Instant | null {
    const { schedule, timeoutSeconds } = this.config;
    return schedule === null ? result + timeoutSeconds * 1_000_000 : SCHEDULES[schedule](result);
  }

  deadline(): Instant | null {
    if (this.status === 'down') return null;
    const run = this.isHangKnown ? null : this.lastStart;
    const expected = this.expected();
    if (run === null && expected === null) return null;
    return Math.min(run ?? Number.POSITIVE_INFINITY, expected ?? Number.POSITIVE_INFINITY) + this.grace;
  }

  flip(to: StoredStatus, reason: string, at: Instant): void {
    if (to === this.status) return;
    const createdAt = Math.max(at, this.flips.at(-1)?.createdAt ?? at);
    this.flips.push({ oldStatus: this.status, newStatus: to, reason, createdAt });
    this.status = to;
  }

  ping({ signal, rid, method, body, exitStatus, age }: Action, clock: Instant): void {
    const receivedAt = Math.max(clock, this.pings.at(-1)?.createdAt ?? clock);
    // A last ping that is still half a minute off, or more, is one of a clock that was wrong.
    const now = receivedAt > clock + 30_000_000 ? clock : receivedAt;
    this.missDeadline(now);
    const meant = this.meaning(signal, method, body ?? '');
    const counts = this.status === 'paused' && this.config.manualResume ? 'ign' : meant;
    const isLate = age !== undefined && age >= SECOND;
    const at = isLate ? now - age : now;
    const isNews = !isLate || this.isStillNews(counts, rid, at, now);
    if (isNews && counts === 'start') {
      if (this.status === 'paused') this.resume(now);
      this.lastStart = at;
      this.lastStartRid = rid;
      this.isHangKnown = false;
    }
    if (isNews && (counts === 'success' || counts === 'fail')) {
      this.lastPing = at;
      this.lastResult = counts;
      if (counts === 'success') this.lastSuccess = at;
      this.lastDuration = null;
      this.endRun(counts, rid, at, isLate);
      this.flip(counts === 'fail' ? 'down' : 'up', counts === 'fail' ? 'fail' : '', now);
    }
    this.hint = (body ?? '').toLowerCase().includes('confirm');
    const n = this.pings.length + 1;
    this.pings.push({
      n,
      signal: counts,
      createdAt: receivedAt,
      occurredAt: isLate ? at : null,
      rid,
      exitStatus,
      bodySize: body?.length ?? 0,
    });
  }

  /** Whether a late ping still counts: nothing newer is known, and the check would not be down by now had it come in time. */
  isStillNews(signal: Signal, rid: string | null, at: Instant, now: Instant): boolean {
    if (signal === 'log' || signal === 'ign') return false;
    if (this.lastPing !== null && at <= this.lastPing) return false;
    const changed = this.flips.at(-1)?.createdAt;
    const isReset = this.status === 'new' || this.status === 'paused';
    // A late start that has resumed the check is older than the flip that it made.
    if (isReset && changed !== undefined && at < Math.min(changed, this.lastStart ?? changed)) return false;
    if (signal === 'start') return (this.lastStart === null || at > this.lastStart) && at + this.grace > now;
    const due = this.expectedAfter(at);
    if (due !== null && due + this.grace <= now) return false;
    if (signal === 'fail' || this.lastStart === null) return true;
    const endsRun = rid === null ? at >= this.lastStart : rid === this.lastStartRid;
    const hangsAt = this.lastStart + this.grace;
    // Another run has shown after the hang that the job works. Before the hang it could not know.
    return endsRun || hangsAt > now || hangsAt <= at;
  }

  missDeadline(now: Instant): void {
    const deadline = this.deadline();
    if (deadline === null || deadline > now) return;
    if (this.lastStart !== null && this.lastStart + this.grace <= deadline) this.isHangKnown = true;
    this.flip('down', 'timeout', deadline);
  }

  meaning(signal: Signal, method: string, body: string): Signal {
    if (this.config.methods === 'POST' && method !== 'POST') return 'ign';
    if (!this.config.filterHttpBody) return signal;
    if (body.includes('bad')) return 'fail';
    if (body.includes('good')) return 'success';
    if (body.includes('begin')) return 'start';
    return this.config.filterDefaultFail ? 'fail' : 'ign';
  }

  endRun(signal: 'success' | 'fail', rid: string | null, at: Instant, isLate: boolean): void {
    if (this.lastStart === null) return;
    const beganLater = isLate && at < this.lastStart;
    if (this.lastStartRid === rid && !(beganLater && rid === null)) {
      this.lastDuration = Math.max(0, at - this.lastStart);
      this.lastStart = null;
    } else if (!beganLater && (signal === 'fail' || rid === null)) {
      this.lastStart = null;
    } else if (this.lastStart + this.grace <= at) {
      // It hung while the check was down, and this success ends that outage.
      this.isHangKnown = true;
    }
  }

  pause(clock: Instant): void {
    if (this.status === 'paused') return;
    this.missDeadline(clock);
    this.lastStart = null;
    this.flip('paused', '', clock);
  }

  /** Whether it may be resumed. */
  resume(clock: Instant): boolean {
    if (this.status !== 'paused') return false;
    this.lastStart = null;
    this.lastPing = null;
    this.flip('new', '', clock);
    return true;
  }

  edit({ schedule, ...rest }: CheckEdit): void {
    if (schedule !== undefined) this.config.schedule = schedule.expression as keyof typeof SCHEDULES;
    if (rest.timeoutSeconds !== undefined) this.config.schedule = null;
    this.config = { ...this.config, ...rest };
  }
}

suite('random lives of a check', () => {
  const app = sharedTestApp('sqlite');

  async function givenCheck() {
    const { project, readOnlyKey } = await app().givenProject();
    const check = await app().givenCheck(project, {
      timeoutSeconds: 3_600,
      graceSeconds: 3_600,
      successKeywords: 'good',
      failureKeywords: 'bad',
      startKeywords: 'begin',
    });
    const scrape = async () =>
      (await app().request('GET', `/projects/${project.uuid}/metrics/${readOnlyKey}`)).text;
    return { check, actor: systemActor(project.id), scrape };
  }

  async function act({ check, actor }: Awaited<ReturnType<typeof givenCheck>>, step: Step): Promise<string> {
    const { deps } = app();
    if (step.does === 'ping') {
      const outcomes = await ingestPings(
        deps,
        step.pings.map((ping) => incoming(check, ping)),
      );
      return outcomes.join();
    }
    const verb =
      step.does === 'edit'
        ? updateCheck(deps, actor, check.id, { edit: step.edit })
        : step.does === 'pause'
          ? pauseCheck(deps, actor, check.id)
          : resumeCheck(deps, actor, check.id);
    return verb.then(
      () => 'done',
      (error: Error) => error.message,
    );
  }

  function actOnModel(model: Model, step: Step, clock: Instant): string {
    switch (step.does) {
      case 'ping':
        for (const ping of step.pings) model.ping(ping, clock);
        return step.pings.map(() => 'recorded').join();
      case 'edit':
        model.edit(step.edit);
        return 'done';
      case 'pause':
        model.pause(clock);
        return 'done';
      case 'resume':
        return model.resume(clock) ? 'done' : 'check_not_paused';
    }
  }

  async function assertSameState(check: Check, model: Model): Promise<void> {
    const now = await stored(app(), check);
    assert.deepEqual(
      {
        status: now.status,
        pingCount: now.pingCount,
        lastReceived: now.lastReceivedAt,
        lastPing: now.lastPingAt,
        lastSuccess: now.lastSuccessAt,
        lastResult: now.lastResult,
        lastStart: now.lastStartAt,
        rid: now.lastStartAt === null ? null : now.lastStartRid,
        lastDuration: now.lastDuration,
        deadline: now.deadlineAt,
        lastFlip: now.lastFlipAt,
        hint: now.hasConfirmationLink,
      },
      {
        status: model.status,
        pingCount: model.pings.length,
        lastReceived: model.pings.at(-1)?.createdAt ?? null,
        lastPing: model.lastPing,
        lastSuccess: model.lastSuccess,
        lastResult: model.lastResult,
        lastStart: model.lastStart,
        rid: model.lastStart === null ? null : model.lastStartRid,
        lastDuration: model.lastDuration,
        deadline: model.deadline(),
        lastFlip: model.flips.at(-1)?.createdAt ?? null,
        hint: model.hint,
      },
    );
  }

  /** Every line about the job, as the values alone. */
  async function assertSameMetrics(scrape: () => Promise<string>, model: Model): Promise<void> {
    const lines = (await scrape()).split('\n').filter((line) => line.startsWith('tocsin_job_'));
    const values = lines.map((line) => [/^tocsin_job_(\w+)/.exec(line)?.[1], Number(line.split(' ').at(-1))]);
    const run = model.isHangKnown ? null : model.lastStart;
    const expected = model.expected();
    const next = Math.min(run ?? Number.POSITIVE_INFINITY, expected ?? Number.POSITIVE_INFINITY);
    assert.deepEqual(Object.fromEntries(values), {
      ...(model.lastSuccess !== null && { last_success_timestamp_seconds: model.lastSuccess / 1e6 }),
      ...(model.lastDuration !== null && { last_duration_seconds: model.lastDuration / 1e6 }),
      ...(model.lastResult !== null && { last_result: model.lastResult === 'success' ? 1 : 0 }),
      ...(model.status === 'up' && Number.isFinite(next) && { next_expected_timestamp_seconds: next / 1e6 }),
    });
    assert.equal(values.length, new Set(values.map(([name]) => name)).size);
  }

  async function assertSameHistory(check: Check, model: Model): Promise<void> {
    const pings = await pingsOf(app(), check);
    assert.deepEqual(
      pings.map(({ n, signal, createdAt, occurredAt, rid, exitStatus, bodySize }) => ({
        n,
        signal,
        createdAt,
        occurredAt,
        rid,
        exitStatus,
        bodySize,
      })),
      model.pings,
    );
    const flips = await allFlips(app(), check);
    assert.deepEqual(
      flips.map(({ oldStatus, newStatus, reason, createdAt }) => ({
        oldStatus,
        newStatus,
        reason,
        createdAt,
      })),
      model.flips,
    );
  }

  for (const [name, seed] of Object.entries(SEEDS)) {
    test(`the service agrees with the specification read naively, with ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20, size: 'max' }), async (steps) => {
          const given = await givenCheck();
          const model = new Model();
          app().clock.set(START);
          for (const step of steps) {
            app().clock.set(app().clock.now() + step.after);
            const outcome = await act(given, step);
            assert.equal(outcome, actOnModel(model, step, app().clock.now()));
            await assertSameState(given.check, model);
            await assertSameMetrics(given.scrape, model);
          }
          await assertSameHistory(given.check, model);
        }),
        { seed, numRuns: RUNS },
      );
    });
  }
});

function incoming(check: Check, { body, ...action }: Action): IncomingPing {
  return {
    target: { uuid: check.uuid },
    fault: null,
    scheme: 'http',
    remoteAddr: null,
    userAgent: '',
    body: body === null ? null : Buffer.from(body),
    mail: null,
    ...action,
  };
}
