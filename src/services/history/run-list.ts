import type { Check } from '../../domain/check/check.ts';
import type { Run } from '../../domain/history/run.ts';
import {
  before,
  compareRuns,
  knownSince,
  type ListedRun,
  listRuns,
  NEWEST_RUN,
  type RunCursor,
  type RunFilter,
  type RunPlace,
  type RunQuestion,
  upTo,
} from '../../domain/history/run-list.ts';
import type { Ping } from '../../domain/ping/ping.ts';
import type { Instant } from '../../lib/instant.ts';
import type { KeptRun } from '../../storage/store.ts';
import { type Actor, ownCheck, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { flipsOf, readRunsOf } from './watched-runs.ts';

/** Pings that are looked at for a page. A filter that few runs pass gives a short page, and the place to go on from. */
export const MAX_LISTED_FROM = 3_000;
/** Later pings in which the ends of runs are looked for, of which a page has the starts. */
const PINGS_AFTER = 300;

export interface RunPage {
  /** The newest first. */
  readonly runs: readonly ListedRun[];
  /** Null at the end. */
  readonly next: RunCursor | null;
}

type ListDeps = Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> };

/**
 * Lists the runs of a check, and the failures and warnings whose pings are gone. All pages tell what was so when the first one was
 * asked for, however many pings come meanwhile: no run is left out, and none is listed twice.
 */
export async function listCheckRuns(
  deps: ListDeps,
  actor: Actor,
  current: Check,
  { filter, limit, cursor }: RunQuestion,
): Promise<RunPage> {
  requirePermission(actor, 'checks.view');
  ownCheck(actor, current);
  const now = cursor?.now ?? deps.clock.now();
  const check = { ...current, ...cursor?.check };
  const first = filter.until === null ? NEWEST_RUN : before(filter.until);
  const place = cursor === null || compareRuns(first, cursor.place) > 0 ? first : cursor.place;
  const { found, knownAfter } = await readPart(deps, check, place, now);
  const kept = await readKept(
    deps,
    check,
    { ...filter, from: Math.max(filter.from ?? 0, knownAfter + 1) },
    place,
    limit + 1,
  );
  const stored = new Set(found.map(({ n }) => n));
  // The pruner may have moved runs meanwhile.
  const all = [...found, ...kept.filter(({ n }) => !stored.has(n))]
    .filter((run) => isWanted(run, filter) && compareRuns(place, run.place) < 0 && run.place.at > knownAfter)
    .sort((one, other) => compareRuns(one.place, other.place));
  const runs = all.slice(0, limit);
  const last =
    all.length > limit ? runs.at(-1)?.place : knownAfter >= (filter.from ?? 0) ? upTo(knownAfter) : undefined;
  return { runs, next: last === undefined ? null : { place: last, now, check } };
}

/** Before all times. */
const NEVER = -1;

/** The runs below a place, newest first, as far as they are all known: those after `knownAfter`. */
async function readPart(
  deps: ListDeps,
  check: Check,
  place: RunPlace,
  now: Instant,
): Promise<{ readonly found: ListedRun[]; readonly knownAfter: Instant }> {
  const { store } = deps;
  const { id, pingCount } = check;
  const isFirst = place.at >= now;
  const newest = isFirst ? pingCount : ((await store.pings.lastUntil(id, place.at))?.n ?? 0) + PINGS_AFTER;
  const below = Math.min(newest, pingCount) + 1;
  const inTime = await store.pings.inSpan(id, { above: 0, below }, 'newest', MAX_LISTED_FROM + PINGS_AFTER);
  const [oldest] = inTime;
  const isCut = inTime.length === MAX_LISTED_FROM + PINGS_AFTER && oldest?.n !== 1;
  // The oldest ping may have come later than what others report.
  const from = isCut ? (oldest?.createdAt ?? 0) : 0;
  const pings = [...inTime, ...(await readLate(deps, check, inTime, { from, until: place.at }))];
  const until = isFirst ? null : (pings.at(-1)?.createdAt ?? 0) + 1;
  const flips = await store.flips.ofCheck(id, { from: null, before: until });
  // A change of status since the list was begun, or since the check was read.
  const recorded = flips.filter(({ createdAt }) => createdAt <= (check.lastFlipAt ?? NEVER));
  const runs = await readRunsOf(deps, { check, pings, flips: flipsOf(pings, recorded), now });
  return { found: listRuns(runs, pings), knownAfter: isCut ? knownSince(inTime, place.at) : NEVER };
}

/** Pings behind those that were read, which report what happened in their time. */
async function readLate(
  { store }: ListDeps,
  { id, pingCount }: Check,
  inTime: readonly Ping[],
  span: { readonly from: Instant; readonly until: Instant },
): Promise<Ping[]> {
  const last = inTime.at(-1)?.n ?? 0;
  if (last >= pingCount) return [];
  const late = await store.pings.lateInto(id, last, span, MAX_LISTED_FROM);
  return late.filter(({ n }) => n <= pingCount);
}

async function readKept(
  { store }: ListDeps,
  { id }: Check,
  { results, from, until }: RunFilter,
  place: RunPlace,
  most: number,
): Promise<ListedRun[]> {
  const wanted = (['failed', 'warned'] as const).filter((result) => results.includes(result));
  if (wanted.length === 0) return [];
  const span = { results: wanted, from: from ?? 0, until: until ?? Number.MAX_SAFE_INTEGER };
  return (await store.keptRuns.before(id, span, place, most)).map(ofKept);
}

function ofKept(kept: KeptRun): ListedRun {
  const { n, rid, flags, numbers, excerpt } = kept;
  return {
    ...keptRun(kept),
    ...{ n, rid, flags: flags ?? 0, numbers, excerpt, hasBody: false, count: 1 },
    place: { at: kept.endedAt, n },
  };
}

/** The run itself, as pages have it. */
export function keptRun({ n, result, startedAt, endedAt, exitStatus }: KeptRun): Run {
  return {
    ...{ result, at: endedAt, startedAt, endedAt, exitStatus, expectedAt: null, startN: null, endN: n },
    duration: startedAt === null ? null : Math.max(0, endedAt - startedAt),
    ...{ count: 0, listed: [] },
  };
}

function isWanted({ result, place }: ListedRun, { results, from, until }: RunFilter): boolean {
  return results.includes(result) && place.at >= (from ?? 0) && (until === null || place.at < until);
}
