/** A program with a watchdog. Its arguments name a thread and how it hangs. */
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { countTurns, newTurns, startWatchdog, type WatchedThread } from './watchdog.ts';

const ENDLESS = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n';

const WAYS: Readonly<Record<string, () => void>> = {
  loops() {
    for (;;);
  },
  queries() {
    new DatabaseSync(':memory:').prepare(ENDLESS).get();
  },
};

const [thread, way = ''] = process.argv.slice(2);
/** No busy machine is mistaken for a thread without a stack. */
const PACE = { everyMs: 20, maxLooks: 10, stackPatienceMs: way === 'queries' ? 500 : 600_000 };
const self: WatchedThread = isMainThread ? 'main' : 'writer';

if (isMainThread) {
  const turns = newTurns();
  // The watchdog tells threads apart by their files.
  const file = new URL(import.meta.url);
  file.search = 'writer-thread';
  await once(new Worker(file, { workerData: turns, argv: process.argv.slice(2) }), 'message');
  startWatchdog(turns, [thread === 'main' ? 'main' : 'writer'], PACE);
} else {
  countTurns(workerData, self, PACE);
  parentPort?.postMessage('counts');
  // Goes on until the process ends.
  parentPort?.on('message', () => undefined);
}
if (thread === self) WAYS[way]?.();
