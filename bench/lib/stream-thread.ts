import { connect } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** Streams of live events that somebody reads. */
export interface Streams extends AsyncDisposable {
  /** The number of events so far, on all of them. */
  events(): Promise<number>;
}

interface Plan {
  readonly port: number;
  /** One stream for each of these cookies. */
  readonly cookies: readonly string[];
}

/** Opens streams in a thread of its own, and reads them. */
export async function openStreams(plan: Plan): Promise<Streams> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { streams: plan } });
  const answer = () =>
    new Promise<number>((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await answer();
  return {
    events: () => {
      const count = answer();
      worker.postMessage('count');
      return count;
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

if (parentPort !== null && workerData?.streams !== undefined) {
  const { port, cookies }: Plan = workerData.streams;
  let events = 0;
  const opened = cookies.map(
    (cookie) =>
      new Promise<void>((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1' });
        socket.write(
          `GET /dashboard/api/live HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nCookie: ${cookie}\r\n\r\n`,
        );
        socket.on('data', (chunk) => {
          const found = chunk.toString('latin1').split('data: ').length - 1;
          events += found;
          if (found > 0) resolve();
        });
        socket.on('close', () => reject(new Error('a stream has ended')));
      }),
  );
  await Promise.all(opened);
  parentPort.on('message', () => parentPort?.postMessage(events));
  parentPort.postMessage(0);
}
