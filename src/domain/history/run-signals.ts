import type { Ping } from '../ping/ping.ts';
import { type Run, type RunHistory, runsOf } from './run.ts';

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
  const runs = runsOf(history);
  const byStart = new Map(runs.flatMap((run) => (run.startN === null ? [] : [[run.startN, run] as const])));
  const byEnd = new Map(runs.flatMap((run) => (run.endN === null ? [] : [[run.endN, run] as const])));
  const joined: { run: Run | null; signals: [P, ...P[]] }[] = [];
  const open = new Map<string | null, (typeof joined)[number]>();
  for (const ping of history.pings) {
    const group = ping.signal === 'ign' ? undefined : open.get(ping.rid);
    const run = byStart.get(ping.n) ?? byEnd.get(ping.n) ?? null;
    const belongs = group !== undefined && ping.signal !== 'start' && (run === null || run === group.run);
    if (belongs) group.signals.push(ping);
    else joined.push({ run, signals: [ping] });
    if (ping.signal === 'start') setOrDelete(open, ping.rid, run === null ? undefined : joined.at(-1));
    if (ping.signal === 'success' || ping.signal === 'fail') open.delete(ping.rid);
  }
  return joined.toSorted((a, b) => lastOf(a).n - lastOf(b).n);
}

export function lastOf<P extends Signalled>({ signals }: JoinedRun<P>): P {
  return signals.at(-1) ?? signals[0];
}

function setOrDelete<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
