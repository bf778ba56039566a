import type { Lane, Onset, Window } from '../domain/history/timeline.ts';
import { type Instant, MICROS_PER_SECOND } from '../lib/instant.ts';

/** A span of time, in UNIX seconds. There are many of them. */
export type SpanJson = readonly [from: number, until: number];

export type LaneJson = Readonly<ReturnType<typeof laneJson>>;

/** `at` is in UNIX seconds. */
export type ProblemJson = Readonly<ReturnType<typeof problemJson>>;

export interface TimelineHeadJson {
  /** The number of checks that got into trouble in this time. */
  readonly problems: number;
  /** The problems that began within a quarter of an hour, in order. Otherwise the last one alone. */
  readonly together: readonly ProblemJson[];
}

/** A check in trouble. */
export interface Problem {
  readonly uniqueKey: string;
  readonly name: string;
  /** `missed`: no run came. */
  readonly kind: 'failed' | 'missed';
}

/** `key` is the unique key of the check. */
export function laneJson(key: string, lane: Lane) {
  return {
    key,
    /** If there is a band, only runs that did not go well. Missed ones, one after the other, are one run. */
    runs: lane.runs.map(({ result, count, ...span }) => ({
      ...{ result, span: spanJson(span) },
      ...(count > 0 && { count }),
    })),
    /** The span with so many runs that they are drawn as one. */
    band: lane.band && spanJson(lane.band),
    /** When runs are expected. */
    expected: lane.expected.map(secondsOf),
    expectedBand: lane.expectedBand && spanJson(lane.expectedBand),
    /** The usual duration of a run, in seconds. */
    usual: lane.usual === null ? null : lane.usual / MICROS_PER_SECOND,
    /** The grace time that runs now. */
    grace: lane.grace && spanJson(lane.grace),
    down: lane.down.map(spanJson),
  };
}

export function problemJson({ of: { uniqueKey, name, kind }, at }: Onset<Problem>) {
  return { key: uniqueKey, name, kind, at: secondsOf(at) };
}

const secondsOf = (at: Instant): number => Math.floor(at / MICROS_PER_SECOND);

const spanJson = ({ from, until }: Window): SpanJson => [secondsOf(from), secondsOf(until)];
