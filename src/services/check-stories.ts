import type { CheckSummary } from '../domain/check.ts';
import { type Run, runsOf } from '../domain/run.ts';
import { type StatusStory, tellStatus } from '../domain/status-sentence.ts';
import type { Instant } from '../lib/instant.ts';
import { lastLines } from '../lib/text/output-lines.ts';
import { secretsMask } from '../wire/secrets-mask.ts';
import type { Deps } from './deps.ts';

/** Pings from which the last runs of a check are put together. A run has two of them, and some more lines of a log. */
const PINGS_READ = 60;
/** Flips that lie between so many pings. */
const FLIPS_READ = 60;
const MAX_LINE = 80;

/** A check with what there is to say about its status. */
export interface CheckStory {
  readonly check: CheckSummary;
  readonly story: StatusStory;
  /** The last runs, oldest first. */
  readonly runs: readonly Run[];
  /** The last line that the failed run has written. Null if it is not known. */
  readonly line: string | null;
}

/** Tells how the check stands. It reads a bounded number of pings and flips. */
export async function tellCheck(
  { store }: Pick<Deps, 'store'>,
  check: CheckSummary,
  now: Instant,
): Promise<CheckStory> {
  const pings = (await store.pings.latest(check.id, PINGS_READ)).toReversed();
  const span = { from: pings[0]?.createdAt ?? null, before: null };
  const flips = await store.flips.ofCheck(check.id, span, { after: null, limit: FLIPS_READ });
  const runs = runsOf({ check, pings, flips, now });
  const story = tellStatus({ check, flip: flips[0] ?? null, runs, now });
  const failed = story.cause?.kind === 'failed' ? runs.findLast(({ result }) => result === 'failed') : null;
  return { check, story, runs, line: await lastLine({ store }, check, failed?.endN ?? null) };
}

async function lastLine(
  { store }: Pick<Deps, 'store'>,
  check: CheckSummary,
  n: number | null,
): Promise<string | null> {
  const body = n === null ? null : await store.pings.body(check.id, n);
  const line = body === null ? undefined : lastLines(body, 1, MAX_LINE).at(-1);
  return line === undefined ? null : secretsMask(check.uuid)(line);
}
