import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type Load, load, loadAtRate, type Outcome, type Request } from './load.ts';

/** A load of one request again and again. It can be sent to another thread. */
export interface RepeatedLoad extends Omit<Load, 'request'> {
  readonly request: Request;
  /** The rate, with `requests`; as many as possible if it is absent. */
  readonly perSecond?: number;
}

/** Like `load`, in a thread of its own: reading long answers must not hold up the thread that measures pings. */
export async function loadInThread(options: RepeatedLoad): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const worker = new Worker(new URL(import.meta.url), { workerData: { load: options } });
  worker.once('message', resolve).once('error', reject);
  return promise;
}

if (parentPort !== null) {
  const { load: options }: { load: RepeatedLoad } = workerData;
  const { perSecond, requests = 0, ...rest } = { ...options, request: () => options.request };
  const outcome = perSecond === undefined ? load(rest) : loadAtRate({ ...rest, requests, perSecond });
  parentPort.postMessage(await outcome);
}
