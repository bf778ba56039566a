import { connect } from 'node:net';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** The bytes of request number `n`. */
  readonly request: (n: number) => Buffer;
  /** What every answer must be; anything else ends the benchmark. */
  readonly expect?: number;
  /** When to stop: whichever comes first. */
  readonly millis?: number;
  readonly requests?: number;
}

export interface Outcome {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
}

export function httpRequest(
  method: string,
  path: string,
  options: { key?: string; body?: unknown } = {},
): Buffer {
  const body = options.body === undefined ? '' : JSON.stringify(options.body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(options.key === undefined ? [] : [`X-Api-Key: ${options.key}`]),
    ...(method === 'POST' ? ['Content-Type: application/json'] : []),
    ...(method === 'POST' ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * Keeps so many connections busy, one request after the other on each. Written on bare sockets, since the
 * load comes from a core that the server could otherwise use.
 */
export async function load(options: Load): Promise<Outcome> {
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + (options.millis ?? Number.POSITIVE_INFINITY);
  const most = options.requests ?? Number.POSITIVE_INFINITY;
  let sent = 0;
  const next = (): Buffer | null => (sent < most && performance.now() < end ? options.request(sent++) : null);
  await Promise.all(
    Array.from({ length: options.connections }, () =>
      keepBusy(options, next, (took) => latencies.push(took)),
    ),
  );
  const seconds = (performance.now() - begin) / 1000;
  const sorted = Float64Array.from(latencies).sort();
  const quantile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Millis: quantile(0.5),
    p99Millis: quantile(0.99),
  };
}

function keepBusy(
  { port, expect }: Load,
  next: () => Buffer | null,
  answered: (tookMillis: number) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let sentAt = 0;
  const answers = new Answers((status) => {
    if (expect !== undefined && status !== expect) fail(new Error(`answered ${status} instead of ${expect}`));
    answered(performance.now() - sentAt);
    send();
  });
  const fail = (error: Error) => {
    socket.destroy();
    reject(error);
  };
  const send = () => {
    const bytes = next();
    if (bytes === null) {
      socket.end();
      resolve();
      return;
    }
    sentAt = performance.now();
    socket.write(bytes);
  };
  socket.on('connect', send);
  socket.on('data', (chunk: Buffer) => answers.take(chunk));
  socket.on('error', fail);
  socket.on('close', () => reject(new Error('the server closed a connection')));
  return promise;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Tells where answers end. All of ours have a length and arrive one at a time. */
class Answers {
  readonly #whole: (status: number) => void;
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  #missing = 0;

  constructor(whole: (status: number) => void) {
    this.#whole = whole;
  }

  take(chunk: Buffer): void {
    if (this.#status === 0) this.#takeHead(chunk);
    else this.#takeBody(chunk.length);
  }

  #takeHead(chunk: Buffer): void {
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(HEAD_END);
    if (end === -1) return;
    const head = this.#head.toString('latin1', 0, end);
    const body = this.#head.length - end - HEAD_END.length;
    this.#head = Buffer.alloc(0);
    this.#status = Number(head.slice(9, 12));
    this.#missing = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    this.#takeBody(body);
  }

  #takeBody(length: number): void {
    this.#missing -= length;
    if (this.#missing > 0) return;
    const status = this.#status;
    this.#status = 0;
    this.#whole(status);
  }
}
