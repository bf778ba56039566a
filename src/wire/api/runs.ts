import { STORED_STATUSES } from '../../domain/check/check.ts';
import { AppError } from '../../domain/errors.ts';
import { RUN_RESULTS, type RunResult } from '../../domain/history/run.ts';
import {
  type ListedRun,
  PINNED_FIELDS,
  type RunCursor,
  type RunQuestion,
} from '../../domain/history/run-list.ts';
import { RUN_FLAGS } from '../../domain/ping/run-judgement.ts';
import { type Instant, seconds, toIsoMicros } from '../../lib/instant.ts';
import { decodeBody } from '../../lib/text/excerpt.ts';
import { LATEST_SECOND, readWhole } from './flips.ts';
import { toHundredths } from './ping-output.ts';

/** Runs of a page. */
export const MAX_RUN_LIMIT = 500;
export const DEFAULT_RUN_LIMIT = 100;

export type RunFlag = keyof typeof RUN_FLAGS;

/** What the caller may see of runs. */
export interface RunViewer {
  /** The address of the check in the API. Null for somebody who names the check by its unique key. */
  readonly checkUrl: string | null;
  /** Whether they may see what pings brought along. */
  readonly seesBodies: boolean;
}

export interface RunJson {
  n: number | null;
  result: RunResult;
  expected: string | null;
  started: string | null;
  ended: string | null;
  duration: number | null;
  rid?: string | null;
  exit_status: number | null;
  flags: RunFlag[];
  numbers: Record<string, number>;
  body_url?: string | null;
  /** Of a run whose ping is gone. */
  excerpt?: string;
  /** Where it is more than one. */
  count?: number;
}

export function runJson(run: ListedRun, { checkUrl, seesBodies }: RunViewer): RunJson {
  const { n, flags, numbers, excerpt, count, duration } = run;
  return {
    n,
    result: run.result,
    expected: toIsoMicros(run.expectedAt),
    started: toIsoMicros(run.startedAt),
    ended: toIsoMicros(run.endedAt),
    duration: duration === null ? null : toHundredths(duration),
    ...(checkUrl !== null && { rid: run.rid }),
    exit_status: run.exitStatus,
    flags: (Object.keys(RUN_FLAGS) as RunFlag[]).filter((flag) => (flags & RUN_FLAGS[flag]) !== 0),
    numbers: numbers === null ? {} : (JSON.parse(numbers) as Record<string, number>),
    ...(checkUrl !== null && { body_url: run.hasBody ? `${checkUrl}/pings/${n}/body` : null }),
    ...(checkUrl !== null && seesBodies && excerpt !== null && { excerpt: excerptText(excerpt) }),
    ...(count > 1 && { count }),
  };
}

/** It may begin within a character. */
function excerptText(excerpt: Uint8Array): string {
  return decodeBody(excerpt).replace(/^\uFFFD+/, '');
}

/** `from` and `until` are UNIX times. */
export function parseRunQuestion(query: URLSearchParams, now: Instant): RunQuestion {
  const [from, until] = [readTime(query, 'from'), readTime(query, 'until')];
  const cursor = query.getAll('cursor').at(-1);
  return {
    filter: { results: readResults(query), from, until },
    limit: readWhole(query, 'limit', MAX_RUN_LIMIT, 1) ?? DEFAULT_RUN_LIMIT,
    cursor: cursor === undefined || cursor === '' ? null : parseRunCursor(cursor, now),
  };
}

function readTime(query: URLSearchParams, name: string): Instant | null {
  const time = readWhole(query, name, LATEST_SECOND);
  return time === null ? null : seconds(time);
}

/** Given several times, or separated by commas. */
function readResults(query: URLSearchParams): readonly RunResult[] {
  const names = query.getAll('result').flatMap((value) => value.split(','));
  const wanted = names.map((name) => name.trim()).filter((name) => name !== '');
  const results = RUN_RESULTS.filter((result) => wanted.includes(result));
  if (new Set(wanted).size > results.length)
    throw new AppError('invalid_query', `result is not one of ${RUN_RESULTS.join(', ')}`);
  return results.length === 0 ? RUN_RESULTS : results;
}

export function runCursorText({ place, now, check }: RunCursor): string {
  const values = [place.at, place.n, now, ...PINNED_FIELDS.map((field) => check[field])];
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

type Pinned = RunCursor['check'];
type Values = {
  readonly [Field in keyof Pinned]: (value: unknown, latest: Instant) => value is Pinned[Field];
};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isTime = (value: unknown, latest: Instant): value is Instant | null =>
  value === null || (isCount(value) && value <= latest);

const VALUES: Values = {
  pingCount: isCount,
  status: (value): value is Pinned['status'] => STORED_STATUSES.some((status) => status === value),
  lastPingAt: isTime,
  lastStartAt: isTime,
  lastAliveAt: isTime,
  runReported: (value): value is boolean => typeof value === 'boolean',
  lastFlipAt: isTime,
  excusedUntilAt: isTime,
};

/** Clocks of nodes differ, and a deadline may be put off by the longest grace time. */
const MOST_AHEAD = seconds(366 * 86_400);

/** Anybody may have made the text up: it says where to go on in a list of their own. */
function parseRunCursor(text: string, now: Instant): RunCursor {
  const values = parsed(text);
  const latest = now + MOST_AHEAD;
  const [at, n, then, ...rest] = Array.isArray(values) ? (values as unknown[]) : [];
  const isSound =
    rest.length === PINNED_FIELDS.length &&
    isCount(at) &&
    Number.isSafeInteger(n) &&
    isCount(then) &&
    then <= latest &&
    PINNED_FIELDS.every((field, place) => VALUES[field](rest[place], latest));
  if (!isSound) throw new AppError('invalid_query', 'cursor is not valid');
  const check = Object.fromEntries(PINNED_FIELDS.map((field, place) => [field, rest[place]]));
  // Each value was looked at.
  return { place: { at, n: n as number }, now: then, check: check as unknown as Pinned };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
}
