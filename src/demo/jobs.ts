import { nextOccurrence } from '../domain/schedule/schedule.ts';
import { Chance } from '../lib/chance.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';

/** When a job runs: by an expression in a zone, or at equal distances. */
export type When = { readonly expression: string; readonly tz: string } | { readonly everySeconds: number };

/** A time in which a job does something else than usual. */
export interface Phase {
  readonly from: Instant;
  readonly until: Instant;
  readonly does: Behaviour;
}

/** The machine is off · the job fails, in that share of its runs · it begins later · it takes so many times as long. */
export type Behaviour =
  | { readonly kind: 'silent' }
  | { readonly kind: 'fails'; readonly share: number; readonly exit: number; readonly output: string }
  | { readonly kind: 'late'; readonly seconds: number }
  | { readonly kind: 'slower'; readonly timesAtEnd: number };

/** A job that a check watches. */
export interface Job {
  readonly slug: string;
  readonly when: When;
  /** The usual length of a run. A job of no length tells only that it is done. */
  readonly takesSeconds: number;
  /** The share of runs that fail without any reason. */
  readonly trouble: number;
  /** What the job prints. Null if its output is not sent. */
  readonly output: string | null;
  readonly phases: readonly Phase[];
}

/** A signal of a job. */
export interface Step {
  readonly at: Instant;
  readonly signal: 'start' | 'success' | 'fail';
  readonly rid: string | null;
  readonly exitStatus: number | null;
  readonly output: string | null;
}

const MAX_DELAY: Micros = seconds(20);

/**
 * The signals of the job after that instant, in order, without an end. They depend on the seed and the time alone: who begins
 * in the middle gets the same.
 */
export function* stepsOf(job: Job, seed: string, after: Instant): Generator<Step, void> {
  // A run that began before may still be under way.
  const longest = job.phases.reduce(
    (most, { does }) => Math.max(most, does.kind === 'slower' ? does.timesAtEnd : 1),
    2,
  );
  let occurrence = after - seconds(longest * job.takesSeconds + 3_600) - MAX_DELAY;
  const nextRun = runsOf(job, seed);
  for (;;) {
    const next = nextRun(occurrence);
    if (next === null) return;
    const silence = phasesAt(job, next).find(({ does }) => does.kind === 'silent');
    occurrence = silence === undefined ? next : silence.until - 1;
    if (silence === undefined) yield* runAt(job, seed, next).filter(({ at }) => at > after);
  }
}

/** Returns a function that tells when the job runs next. */
function runsOf({ when, slug }: Job, seed: string): (after: Instant) => Instant | null {
  if ('expression' in when) return (after) => nextOccurrence(when.expression, when.tz, after);
  const every = seconds(when.everySeconds);
  const offset = Math.floor(new Chance(`${seed}/${slug}`).fraction() * every);
  return (after) => offset + (Math.floor((after - offset) / every) + 1) * every;
}

function phasesAt({ phases }: Job, at: Instant): Phase[] {
  return phases.filter(({ from, until }) => from <= at && at < until);
}

function runAt(job: Job, seed: string, occurrence: Instant): Step[] {
  const chance = new Chance(`${seed}/${job.slug}/${occurrence}`);
  const delay = Math.floor(chance.fraction() * MAX_DELAY);
  const uneven = 0.85 + 0.4 * chance.fraction() ** 2;
  let at = occurrence + delay;
  let takes = job.takesSeconds * uneven;
  let failure = chance.happens(job.trouble) ? FAILURE : null;
  for (const phase of phasesAt(job, occurrence)) {
    const { does } = phase;
    if (does.kind === 'late') at += seconds(does.seconds);
    if (does.kind === 'slower') takes *= grown(phase, occurrence, does.timesAtEnd);
    if (does.kind === 'fails') failure = chance.happens(does.share) ? does : failure;
  }
  const rid = job.takesSeconds === 0 ? null : chance.uuid();
  const end: Step =
    failure === null
      ? { at, signal: 'success', rid, exitStatus: rid === null ? null : 0, output: job.output }
      : { at, signal: 'fail', rid, exitStatus: failure.exit, output: failure.output };
  if (rid === null) return [end];
  // A job that fails ends early, mostly.
  const span = Math.round(seconds(failure === null ? takes : takes * (0.2 + 0.8 * chance.fraction())));
  return [
    { at, signal: 'start', rid, exitStatus: null, output: null },
    { ...end, at: at + span },
  ];
}

const FAILURE = { exit: 1, output: 'Connection reset by peer\nThe job was stopped after 3 attempts.' };

function grown({ from, until }: Phase, at: Instant, timesAtEnd: number): number {
  return 1 + ((timesAtEnd - 1) * (at - from)) / (until - from);
}
