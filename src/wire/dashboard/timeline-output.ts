import type { RunResult } from '../../domain/history/run.ts';
import type { Lane, Onset, Window } from '../../domain/history/timeline.ts';
import { type Instant, MICROS_PER_SECOND } from '../../lib/instant.ts';

/** A span of time, in UNIX seconds. There are many of them. */
export type SpanJson = readonly [from: number, until: number];

export interface LaneJson {
  /** The unique key of the check. */
  readonly key: string;
  /** If there is a band, only those that did not go well. */
  readonly runs: readonly LaneRunJson[];
  /** The span with so many runs that they are drawn as one. */
  readonly band: SpanJson | null;
  /** When runs are expected. */
  readonly expected: readonly number[];
  readonly expectedBand: SpanJson | null;
  /** The usual duration of a run, in seconds. */
  readonly usual: number | null;
  /** The grace time that runs now. */
  readonly grace: SpanJson | null;
  readonly down: readonly SpanJson[];
}

export interface LaneRunJson {
  readonly result: RunResult;
  readonly span: SpanJson;
  /** The number of consecutive missed runs. More than 1,000 are not counted exactly. */
  readonly missed?: number;
}

export interface LaneListJson {
  readonly lanes: readonly LaneJson[];
}

export interface ProblemJson {
  readonly key: string;
  readonly name: string;
  /** `missed`: no run came. */
  readonly kind: 'failed' | 'missed';
  /** In UNIX seconds. */
  readonly at: number;
}

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
  readonly kind: ProblemJson['kind'];
}

export function laneJson(key: string, lane: Lane): LaneJson {
  return {
    key,
    runs: lane.runs.map(({ result, missed, ...span }) => ({
      ...{ result, span: spanJson(span) },
      ...(missed > 0 && { missed }),
    })),
    band: lane.band && spanJson(lane.band),
    expected: lane.expected.map(secondsOf),
    expectedBand: lane.expectedBand && spanJson(lane.expectedBand),
    usual: lane.usual === null ? null : lane.usual / MICROS_PER_SECOND,
    grace: lane.grace && spanJson(lane.grace),
    down: lane.down.map(spanJson),
  };
}

export function problemJson({ of: { uniqueKey, name, kind }, at }: Onset<Problem>): ProblemJson {
  return { key: uniqueKey, name, kind, at: secondsOf(at) };
}

const secondsOf = (at: Instant): number => Math.floor(at / MICROS_PER_SECOND);

const spanJson = ({ from, until }: Window): SpanJson => [secondsOf(from), secondsOf(until)];
