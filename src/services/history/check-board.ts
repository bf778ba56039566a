import type { CheckSummary } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { knownUnwatched, nextJudgedAt } from '../../domain/check/occurrences.ts';
import type { Answer } from '../../domain/history/answer.ts';
import { type Recovery, recoveryOf } from '../../domain/history/recovery.ts';
import { type Run, usualDuration } from '../../domain/history/run.ts';
import { type StatusStory, tellStatus } from '../../domain/history/status-sentence.ts';
import { EXCERPT_BYTES, excerptOf } from '../../domain/ping/ping-body.ts';
import type { Instant, Micros } from '../../lib/instant.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { DeliveryRecord } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { bodyText, MAIL_EXCERPT_BYTES } from './event-bodies.ts';
import { flipsOf, readRunsOf } from './watched-runs.ts';

/** Runs in the strip of a row. */
export const STRIP_RUNS = 30;
/** Pings from which the last runs of a check are put together: three for each, a start, a log and an end. */
const READ_PINGS = 3 * STRIP_RUNS;
const READ_FLIPS = 2 * STRIP_RUNS;
/** Characters of the last line of a failed run's output. */
const MAX_LINE = 200;

/** The end of a terminal's escape sequence is text. Without its beginning it would be left over. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed.
const ESCAPE_SEQUENCES = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

type ListedCheck = CheckSummary;

/** The last runs of a check, and the change of status that they led to. */
export interface CheckHistory {
  readonly runs: readonly Run[];
  /** The last two changes of status, newest first. */
  readonly lastFlips: readonly Flip[];
  /** When one more run is missed, if nothing comes. Null if that does not happen. */
  readonly growsAt: Instant | null;
}

/** Reads the last runs of a check. */
export async function readHistory(
  { store }: Pick<Deps, 'store'>,
  check: ListedCheck,
  now: Instant,
): Promise<CheckHistory> {
  const pings = (await store.pings.latest(check.id, READ_PINGS)).reverse();
  const flips = await store.flips.ofCheck(
    check.id,
    { from: null, before: null },
    { after: null, limit: READ_FLIPS },
  );
  return {
    runs: await readRunsOf({ store }, { check, pings, flips: flipsOf(pings, flips), now }),
    lastFlips: flips.slice(0, 2),
    growsAt: check.status === 'down' ? nextJudgedAt(check, knownUnwatched(check), now) : null,
  };
}

/** The usual duration of the check's runs. */
export async function readUsualDuration(
  deps: Pick<Deps, 'store'>,
  check: ListedCheck,
  now: Instant,
): Promise<Micros | null> {
  return usualDuration((await readHistory(deps, check, now)).runs);
}

/** A check in a list, told in full. */
export interface CheckDetails {
  readonly check: ListedCheck;
  readonly story: StatusStory;
  readonly runs: readonly Run[];
  /** The last line of the failed run's output. */
  readonly line: string | null;
  /** The deliveries about the present trouble. */
  readonly told: readonly DeliveryRecord[];
  /** The outage that is over, if that was in the last hours, and the deliveries about it. */
  readonly recovery: (Recovery & { readonly told: readonly DeliveryRecord[] }) | null;
}

/** What is known of checks already. `historyOf` may cache the history of a check. */
interface KnownOf {
  readonly historyOf: (check: ListedCheck) => Promise<CheckHistory>;
  readonly answerOf: (check: ListedCheck) => Answer | null;
}

/** Tells checks in full. */
export async function readDetails(
  deps: Pick<Deps, 'store'>,
  checks: readonly ListedCheck[],
  { historyOf, answerOf }: KnownOf,
  now: Instant,
): Promise<CheckDetails[]> {
  const read: { check: ListedCheck; history: CheckHistory; story: StatusStory; line: string | null }[] = [];
  for (const check of checks) {
    const history = await historyOf(check);
    const flip = history.lastFlips[0] ?? null;
    const story = tellStatus({ check, flip, runs: history.runs, now, answer: answerOf(check) });
    read.push({ check, history, story, line: await lastLine(deps, check, history.runs, story) });
  }
  const troubles = read.flatMap(
    ({
      history: {
        lastFlips: [lastFlip],
      },
      story,
    }) => (story.state === 'down' && lastFlip?.newStatus === 'down' ? [lastFlip.id] : []),
  );
  const recoveries = read.map(({ history }) => recoveryOf(history.lastFlips, history.runs, now));
  const flipIds = [...troubles, ...recoveries.flatMap((recovery) => recovery?.flipIds ?? [])];
  const deliveries = flipIds.length === 0 ? [] : await deps.store.deliveries.ofFlips(flipIds);
  return read.map(({ check, history, story, line }, place) => {
    const told = deliveries.filter(({ checkId }) => checkId === check.id);
    const recovery = recoveries[place] ?? null;
    return {
      ...{ check, story, runs: history.runs, line },
      told: recovery === null ? told : [],
      recovery: recovery && { ...recovery, told },
    };
  });
}

/** The last line of the failed run's output. Null if none failed. */
async function lastLine(
  { store }: Pick<Deps, 'store'>,
  check: Pick<ListedCheck, 'id'>,
  runs: readonly Run[],
  { cause }: StatusStory,
): Promise<string | null> {
  const failed = runs.findLast(({ result }) => result === 'failed');
  if (cause?.kind !== 'failed' || failed?.endN == null) return null;
  const ping = await store.pings.byNumber(check.id, failed.endN);
  if (ping === null || ping.bodySize === 0) return null;
  // The end of a mail says nothing without its begin, which tells how it is encoded.
  const part =
    ping.scheme === 'email'
      ? ({ end: 'first', most: MAIL_EXCERPT_BYTES } as const)
      : ({ end: 'last', most: EXCERPT_BYTES } as const);
  const body = (await store.pings.bodies(check.id, [ping.n], part)).get(ping.n);
  if (body === undefined) return null;
  const lines = excerptOf(bodyText(body, ping.scheme).replaceAll(ESCAPE_SEQUENCES, ''), 'last');
  return firstCharacters(oneLine(lines.at(-1) ?? ''), MAX_LINE) || null;
}
