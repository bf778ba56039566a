import type { Instant, Micros } from '../../lib/instant.ts';
import type { Flip } from '../check/flip.ts';
import { runLimit, type Timed } from '../check/status.ts';
import { happenedAt, MAX_RUN, type Ping } from './ping.ts';
import { endsOpenRun, isStillNews, startOfEnded, type Watching } from './transition.ts';

type Sign = Pick<Ping, 'rid' | 'createdAt' | 'occurredAt'>;

interface Entry<R> {
  readonly run: R;
  /** An end after this time is not of this run. Infinity: it is under way. */
  readonly endsBy: Instant;
}

/** The runs with the same id, in the order in which they began. */
interface Line<R> {
  readonly runs: Entry<R>[];
  /** The last end that is known. */
  endedAt: Instant;
}

/** Runs with the same id that are under way at once. Of more, the oldest are forgotten: who never ends them must not slow readers down. */
const MAX_OPEN = 100;

/**
 * The runs of a check that have begun and have not ended. Pings without a run id count as having the same one: of these, an end is
 * of the run that began last before it. With an id it is of the last run, whatever the clock of the job says.
 */
export class OpenRuns<R extends { readonly startedAt: Instant }> {
  readonly #byRid = new Map<string | null, Line<R>>();

  begin({ rid, occurredAt }: Sign, run: R): void {
    const { runs, endedAt } = this.#line(rid);
    // What comes in time began last.
    const after = occurredAt === null ? runs.length - 1 : lastUntil(runs, occurredAt);
    const endsBy = occurredAt !== null && occurredAt < endedAt ? endedAt : Number.POSITIVE_INFINITY;
    runs.splice(after + 1, 0, { run, endsBy });
    if (runs.length > MAX_OPEN) runs.shift();
  }

  /** The run with that id that began last of those that are under way. */
  newestUnderWay(rid: string | null): R | undefined {
    return this.#byRid.get(rid)?.runs.findLast(({ endsBy }) => endsBy === Number.POSITIVE_INFINITY)?.run;
  }

  /** The run that the ping is of. */
  of(ping: Sign): R | undefined {
    const line = this.#byRid.get(ping.rid);
    if (line === undefined) return undefined;
    const at = happenedAt(ping);
    for (let index = line.runs.length - 1; index >= 0; index--) {
      const { run, endsBy } = line.runs[index] as Entry<R>;
      if (at <= endsBy && (ping.rid !== null || run.startedAt <= at)) return run;
    }
    return undefined;
  }

  /** The ping ends that run, or one that is not known. Those that began before it will not end. */
  end(ping: Sign, run: R | undefined): void {
    const line = this.#line(ping.rid);
    if (run !== undefined) line.runs.splice(0, line.runs.findLastIndex((entry) => entry.run === run) + 1);
    line.endedAt = Math.max(line.endedAt, happenedAt(ping));
  }

  #line(rid: string | null): Line<R> {
    return this.#byRid.getOrInsertComputed(rid, () => ({ runs: [], endedAt: Number.NEGATIVE_INFINITY }));
  }
}

function lastUntil(runs: readonly Entry<{ readonly startedAt: Instant }>[], at: Instant): number {
  let index = runs.length - 1;
  while (index >= 0 && (runs[index]?.run.startedAt ?? at) > at) index--;
  return index;
}

/** A run of which a start is known, or at least progress. */
export interface BegunRun {
  readonly rid: string | null;
  readonly startedAt: Instant;
  readonly startN: number;
  /** When the check took it for begun: later than its start, if progress made it the watched one again. */
  watchedFrom: Instant;
  /** The last sign of life: its start, or its progress since. */
  aliveAt: Instant;
  /** Whether it takes the check down no more, because it did, or because another run ended well when it should have. */
  isReported: boolean;
}

type RunSign = Sign & Pick<Ping, 'n' | 'signal'>;

/** Follows the runs of a check from ping to ping: which one each ping is of, and which one the check watches. */
export class WatchedRuns {
  readonly #check: Timed;
  readonly #open = new OpenRuns<BegunRun>();
  #watched: BegunRun | null = null;
  /** The last change of status. Null if none is known. */
  #change: Pick<Flip, 'createdAt' | 'newStatus'> | null = null;
  /** The last end that counted. */
  #endedAt: Instant | null = null;

  constructor(check: Timed) {
    this.#check = check;
  }

  /** The run that the deadline depends on. */
  get watched(): BegunRun | null {
    return this.#watched;
  }

  changeStatus(change: Pick<Flip, 'createdAt' | 'newStatus'>): void {
    this.#change = change;
    if (change.newStatus === 'up' || change.newStatus === 'down') return;
    this.#watched = null;
    if (change.newStatus === 'new') this.#endedAt = null;
  }

  /** Whether the check takes the ping for news. `hasChanged`: a change of status shows that it may have. */
  counts(ping: RunSign, hasChanged = false): boolean {
    const { signal, rid, createdAt } = ping;
    const at = happenedAt(ping);
    const status = this.#change?.newStatus ?? null;
    if (signal === 'progress' && status === 'paused') return false;
    if (at === createdAt) return true;
    // If it had counted, the status would be another one now.
    if (!hasChanged && status !== null && !fits(status, signal)) return false;
    try {
      return isStillNews(this.#state(), signal, rid, at, createdAt);
    } catch {
      // A schedule that cannot be evaluated says nothing.
      return false;
    }
  }

  /** The run that the ping is of. A change of status that it made comes before it. */
  take(ping: RunSign, counts = this.counts(ping)): BegunRun | undefined {
    switch (ping.signal) {
      case 'start':
        return this.#begin(ping, counts);
      case 'progress':
        return this.#keepAlive(ping, counts);
      case 'success':
      case 'fail':
        return this.#end(ping, ping.signal, counts);
      case 'log':
        return this.#open.of(ping);
      case 'ign':
        return undefined;
    }
  }

  #begin(ping: RunSign, counts: boolean): BegunRun {
    const at = happenedAt(ping);
    const signs = { startedAt: at, watchedFrom: at, aliveAt: at };
    const run: BegunRun = { rid: ping.rid, startN: ping.n, ...signs, isReported: false };
    this.#open.begin(ping, run);
    if (counts) this.#watched = run;
    return run;
  }

  /** Without a run id it is of the run that is watched. Of a run that is not known it is the first sign. */
  #keepAlive(ping: RunSign, counts: boolean): BegunRun {
    const { rid } = ping;
    const watched = this.#watched;
    const isOwn = watched !== null && (rid === null || watched.rid === rid);
    const run = isOwn ? watched : this.#open.newestUnderWay(rid);
    if (run === undefined) return this.#begin(ping, counts);
    const at = happenedAt(ping);
    run.aliveAt = Math.max(run.aliveAt, at);
    if (!counts || isOwn) return run;
    run.watchedFrom = at;
    run.isReported = false;
    this.#watched = run;
    return run;
  }

  /** A run that the check goes on to watch has not ended, whatever an old end says. */
  #end(ping: RunSign, signal: 'success' | 'fail', counts: boolean): BegunRun | undefined {
    const { rid, createdAt } = ping;
    const at = happenedAt(ping);
    const watched = this.#watched;
    const state = { lastStartAt: watched?.watchedFrom ?? null, lastStartRid: watched?.rid ?? null };
    const isOver = counts && endsOpenRun(state, signal, rid, at, createdAt);
    const isOwn = isOver && startOfEnded(state, rid, at, createdAt) !== null;
    const run = isOwn && watched !== null ? watched : this.#open.of(ping);
    const isStillOpen = run !== undefined && run === watched && !isOver;
    if (!isStillOpen) this.#open.end(ping, run);
    if (isOver) this.#watched = null;
    else if (counts && watched !== null) watched.isReported ||= at >= watched.aliveAt + runLimit(this.#check);
    if (counts) this.#endedAt = at;
    return isStillOpen ? undefined : run;
  }

  /** The check as it was, as far as that is known. */
  #state(): Watching {
    const run = this.#watched;
    return {
      ...this.#check,
      status: this.#change?.newStatus ?? 'up',
      lastFlipAt: this.#change?.createdAt ?? null,
      lastPingAt: this.#endedAt,
      lastStartAt: run?.watchedFrom ?? null,
      lastStartRid: run?.rid ?? null,
      lastAliveAt: run?.aliveAt ?? null,
      runReported: run?.isReported ?? false,
      excusedUntilAt: null,
    };
  }
}

/** Whether a check may have that status after a ping that counts. */
function fits(status: Flip['newStatus'], signal: Ping['signal']): boolean {
  if (signal === 'success') return status === 'up';
  if (signal === 'fail') return status === 'down';
  return status !== 'paused';
}

/** The duration of each run, by the number of the ping that ended it. `pings` are the check's pings in ascending order. */
export function runDurations(
  check: Timed,
  pings: readonly Pick<Ping, 'n' | 'createdAt' | 'occurredAt' | 'signal' | 'rid'>[],
): Map<number, Micros> {
  const runs = new WatchedRuns(check);
  const starts = new Set<number>();
  const durations = new Map<number, Micros>();
  for (const ping of pings) {
    if (ping.signal === 'start') starts.add(ping.n);
    const run = runs.take(ping);
    if (ping.signal !== 'success' && ping.signal !== 'fail') continue;
    // Of a run whose first sign was progress the start is not known.
    if (run === undefined || !starts.has(run.startN)) continue;
    const at = happenedAt(ping);
    if (at - run.startedAt < MAX_RUN) durations.set(ping.n, Math.max(0, at - run.startedAt));
  }
  return durations;
}
