import type { Instant, Micros } from '../../lib/instant.ts';
import { happenedAt, MAX_RUN, type Ping } from './ping.ts';

type Sign = Pick<Ping, 'rid' | 'createdAt' | 'occurredAt'>;

/**
 * The runs of a check that have begun and have not ended. An end is of the run with the same run id that began last before it.
 * Pings without a run id count as having the same one.
 */
export class OpenRuns<R extends { readonly startedAt: Instant }> {
  /** Those with the same id in the order in which they began. */
  readonly #byRid = new Map<string | null, R[]>();

  /** What comes in time began last, also after the clock was set back. */
  begin({ rid, occurredAt }: Sign, run: R): void {
    const runs = this.#byRid.get(rid);
    if (runs === undefined) this.#byRid.set(rid, [run]);
    else if (occurredAt === null) runs.push(run);
    else runs.splice(runs.findLastIndex(({ startedAt }) => startedAt <= occurredAt) + 1, 0, run);
  }

  /** The run with that id that began last. */
  newest(rid: string | null): R | undefined {
    return this.#byRid.get(rid)?.at(-1);
  }

  /** The run that the ping is of. */
  of(ping: Sign): R | undefined {
    return this.#byRid.get(ping.rid)?.[this.#indexOf(ping)];
  }

  /** The run that the ping ends. Those that began before it will not end. */
  end(ping: Sign): R | undefined {
    return this.#byRid
      .get(ping.rid)
      ?.splice(0, this.#indexOf(ping) + 1)
      .at(-1);
  }

  /** By its id a run is known, whatever the clock of the job says. */
  #indexOf(ping: Sign): number {
    const at = happenedAt(ping);
    const runs = this.#byRid.get(ping.rid) ?? [];
    const index = runs.findLastIndex(({ startedAt }) => startedAt <= at);
    return index < 0 && ping.rid !== null ? runs.length - 1 : index;
  }
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
