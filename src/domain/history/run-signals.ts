import type { Ping } from '../ping/ping.ts';
import { type Run, type RunHistory, runsAndSignals } from './run.ts';

type Signalled = Pick<Ping, 'n' | 'createdAt' | 'occurredAt' | 'signal' | 'rid' | 'exitStatus'>;

/** A run with the pings that belong to it, or a ping that belongs to none. */
export interface JoinedRun<P extends Signalled = Ping> {
  readonly run: Run | null;
  /** In ascending order. There is at least one. */
  readonly signals: readonly [P, ...P[]];
}

/** The pings of a check, joined into runs, in the order of the last ping of each. */
export function joinSignals<P extends Signalled>(
  history: Omit<RunHistory, 'pings'> & { readonly pings: readonly P[] },
): JoinedRun<P>[] {
  const startOf = new Map<number, number>();
  const runs = runsAndSignals(history, (n, startN) => {
    if (startN !== undefined) startOf.set(n, startN);
  });
  const byStart = new Map(runs.flatMap((run) => (run.startN === null ? [] : [[run.startN, run] as const])));
  const byEnd = new Map(runs.flatMap((run) => (run.endN === null ? [] : [[run.endN, run] as const])));
  const joined: { run: Run | null; signals: [P, ...P[]] }[] = [];
  const begun = new Map<number | undefined, (typeof joined)[number]>();
  for (const ping of history.pings) {
    const { n } = ping;
    const group = begun.get(startOf.get(n));
    const run = byStart.get(n) ?? byEnd.get(n) ?? null;
    if (group !== undefined && group.run !== null && (run === null || run === group.run)) {
      group.signals.push(ping);
      continue;
    }
    const alone: (typeof joined)[number] = { run, signals: [ping] };
    joined.push(alone);
    if (startOf.get(n) === n) begun.set(n, alone);
  }
  return joined.toSorted((a, b) => lastOf(a).n - lastOf(b).n);
}

export function lastOf<P extends Signalled>({ signals }: JoinedRun<P>): P {
  return signals.at(-1) ?? signals[0];
}
