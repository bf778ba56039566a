import type { Instant, Micros } from '../../lib/instant.ts';
import { happenedAt, MAX_RUN, type Ping } from './ping.ts';

type Sign = Pick<Ping, 'rid' | 'createdAt' | 'occurredAt'>;

interface Entry<R> {
  readonly run: R;
  /** Only an end until then can be its own. Infinity: it is under way. */
  readonly endsBy: Instant;
}

/** The runs with the same id, in the order in which they began. */
interface Line<R> {
  readonly runs: Entry<R>[];
  /** The last end that is known. */
  endedAt: Instant;
}

/**
 * The runs of a check that have begun and have not ended. Pings without a run id count as having the same one: of these, an end is
 * of the run that began last before it. With an id it is of the last run, whatever the clock of the job says.
 */
export class OpenRuns<R extends { readonly startedAt: Instant }> {
  readonly #byRid = new Map<string | null, Line<R>>();

  begin({ rid, occurredAt }: Sign, run: R): void {
    const { runs, endedAt } = this.#byRid.getOrInsertComputed(rid, () => ({
      runs: [],
      endedAt: Number.NEGATIVE_INFINITY,
    }));
    // What comes in time began last.
    const after = occurredAt === null ? runs.length - 1 : lastUntil(runs, occurredAt);
    const endsBy = occurredAt !== null && occurredAt < endedAt ? endedAt : Number.POSITIVE_INFINITY;
    runs.splice(after + 1, 0, { run, endsBy });
  }

  /** The run with that id that began last, if it is under way. */
  newest(rid: string | null): R | undefined {
    return this.#byRid.get(rid)?.runs.findLast(({ endsBy }) => endsBy === Number.POSITIVE_INFINITY)?.run;
  }

  /** The run that the ping is of. */
  of(ping: Sign): R | undefined {
    return this.#byRid.get(ping.rid)?.runs[this.#indexOf(ping)]?.run;
  }

  /** The run that the ping ends. Those that began before it will not end. */
  end(ping: Sign): R | undefined {
    const line = this.#byRid.get(ping.rid);
    if (line === undefined) return undefined;
    const [run] = line.runs.splice(0, this.#indexOf(ping) + 1).slice(-1);
    line.endedAt = Math.max(line.endedAt, happenedAt(ping));
    return run?.run;
  }

  #indexOf(ping: Sign): number {
    const at = happenedAt(ping);
    const runs = this.#byRid.get(ping.rid)?.runs ?? [];
    return runs.findLastIndex(
      ({ run, endsBy }) => at <= endsBy && (ping.rid !== null || run.startedAt <= at),
    );
  }
}

function lastUntil(runs: readonly Entry<{ readonly startedAt: Instant }>[], at: Instant): number {
  return runs.findLastIndex(({ run }) => run.startedAt <= at);
}

/** The duration of each run, by the number of the ping that ended it. `pings` are a check's pings in ascending order. */
export function runDurations(
  pings: readonly Pick<Ping, 'n' | 'createdAt' | 'occurredAt' | 'signal' | 'rid'>[],
): Map<number, Micros> {
  const open = new OpenRuns();
  const durations = new Map<number, Micros>();
  for (const ping of pings) {
    const at = happenedAt(ping);
    if (ping.signal === 'start') open.begin(ping, { startedAt: at });
    if (ping.signal !== 'success' && ping.signal !== 'fail') continue;
    const run = open.end(ping);
    if (run !== undefined && at - run.startedAt < MAX_RUN)
      durations.set(ping.n, Math.max(0, at - run.startedAt));
  }
  return durations;
}
