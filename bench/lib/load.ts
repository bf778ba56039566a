import { Agent, request as sendRequest } from 'node:http';
import { connect } from 'node:net';

/**
 * The client that makes requests: prepared bytes on bare sockets, `node:http` and its agent, as a usual client does it,
 * or the program `wrk`.
 */
export const CLIENTS = ['sockets', 'http', 'wrk'] as const;
export type Client = (typeof CLIENTS)[number];

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for none. */
  readonly body: string;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** Request number `n`. */
  readonly request: (n: number) => Request;
  readonly client?: Client;
  /** The expected status; any other ends the benchmark. */
  readonly expect?: number;
  /** A new connection for every request, as curl makes it. */
  readonly reconnects?: boolean;
  /** When to stop: whichever comes first. */
  readonly millis?: number;
  readonly requests?: number;
}

export interface Outcome {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
  readonly maxMillis: number;
  /** The 99th percentile of each quarter of a second, in order. */
  readonly p99Windows: readonly number[];
}

const WINDOW_MILLIS = 250;
/** For fewer answers a 99th percentile says nothing. */
const MIN_IN_WINDOW = 100;

/** A request that is to be sent now, and the moment from which its time counts. */
interface Due {
  readonly request: Request;
  readonly since: number;
}

type Next = () => Due | null | Promise<Due | null>;

/** Keeps so many connections busy, one request after the other on each. */
export function load(options: Load): Promise<Outcome> {
  const end = performance.now() + (options.millis ?? Number.POSITIVE_INFINITY);
  const most = options.requests ?? Number.POSITIVE_INFINITY;
  let sent = 0;
  return drive(options, () => {
    const since = performance.now();
    return sent < most && since < end ? { request: options.request(sent++), since } : null;
  });
}

/**
 * Sends so many requests a second, evenly, whether or not earlier ones have been answered, each on a
 * connection that is free then. How long one took is counted from when it was due.
 */
export async function loadAtRate(options: Load & { requests: number; perSecond: number }): Promise<Outcome> {
  const begin = performance.now();
  const early: { readonly since: number; readonly go: () => void }[] = [];
  // One timer for all: one for each request would cost more than the request.
  const timer = setInterval(() => {
    const now = performance.now();
    while ((early[0]?.since ?? Number.POSITIVE_INFINITY) <= now) early.shift()?.go();
  }, 1);
  let sent = 0;
  try {
    return await drive(options, () => {
      const n = sent++;
      if (n >= options.requests) return null;
      const since = begin + (n * 1000) / options.perSecond;
      const due = { request: options.request(n), since };
      if (since <= performance.now()) return due;
      return new Promise((resolve) => early.push({ since, go: () => resolve(due) }));
    });
  } finally {
    clearInterval(timer);
  }
}

async function drive(options: Load, next: Next): Promise<Outcome> {
  const latencies: number[] = [];
  const windows: number[][] = [];
  const lane = laneOf(options);
  const begin = performance.now();
  const answered = (since: number) => {
    const now = performance.now();
    latencies.push(now - since);
    const window = Math.floor((now - begin) / WINDOW_MILLIS);
    windows[window] ??= [];
    windows[window].push(now - since);
  };
  await Promise.all(Array.from({ length: options.connections }, () => lane(options, next, answered)));
  const seconds = (performance.now() - begin) / 1000;
  const sorted = sortedCopy(latencies);
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Millis: quantile(sorted, 0.5),
    p99Millis: quantile(sorted, 0.99),
    maxMillis: quantile(sorted, 1),
    p99Windows: windows
      .filter((window) => window.length >= MIN_IN_WINDOW)
      .map((window) => quantile(sortedCopy(window), 0.99)),
  };
}

function sortedCopy(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

/** Keeps one request after the other under way. */
type Lane = (options: Load, next: Next, answered: (since: number) => void) => Promise<void>;

function laneOf({ client = 'sockets', reconnects = false }: Load): Lane {
  if (client === 'http') return askOverHttp;
  return reconnects ? reconnect : keepBusy;
}

/** Each lane has one connection, which the agent keeps, or a new one for every request. */
async function askOverHttp(
  { port, expect, reconnects = false }: Load,
  next: Next,
  answered: (since: number) => void,
): Promise<void> {
  const agent = new Agent({ keepAlive: !reconnects, maxSockets: 1 });
  for (let due = await next(); due !== null; due = await next()) {
    const status = await ask(agent, port, due.request);
    if (expect !== undefined && status !== expect) throw new Error(`answered ${status} instead of ${expect}`);
    answered(due.since);
  }
  agent.destroy();
}

function ask(agent: Agent, port: number, { method, path, headers, body }: Request): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  sendRequest({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode ?? 0));
  })
    .on('error', reject)
    .end(body);
  return promise;
}

/** One connection after the other, each for one request. */
async function reconnect(options: Load, next: Next, answered: (since: number) => void): Promise<void> {
  for (let due = await next(); due !== null; due = await next()) {
    let only: Due | null = due;
    await keepBusy(
      options,
      () => {
        const now = only;
        only = null;
        return now;
      },
      answered,
    );
  }
}

/** On a bare socket, since the load comes from a core that the server could otherwise use. */
function keepBusy({ port, expect }: Load, next: Next, answered: (since: number) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let since = 0;
  const answers = new Answers((status) => {
    if (expect !== undefined && status !== expect) fail(new Error(`answered ${status} instead of ${expect}`));
    answered(since);
    sendNext();
  });
  const fail = (error: Error) => {
    socket.destroy();
    reject(error);
  };
  const send = (due: Due | null) => {
    if (due === null) {
      socket.end();
      resolve();
      return;
    }
    since = due.since;
    socket.write(bytesOf(due.request), 'latin1');
  };
  const sendNext = () => {
    const due = next();
    if (due instanceof Promise) due.then(send, fail);
    else send(due);
  };
  socket.on('connect', sendNext);
  socket.on('data', (chunk: Buffer) => answers.take(chunk));
  socket.on('error', fail);
  socket.on('close', () => reject(new Error('the server closed a connection')));
  return promise;
}

/** All that we send is ASCII. */
function bytesOf({ method, path, headers, body }: Request): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'POST' ? `Content-Length: ${body.length}\r\n` : '';
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}${length}\r\n${body}`;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** The end of an answer that comes in pieces. JSON has no such bytes. */
const LAST_PIECE = Buffer.from('\r\n0\r\n\r\n');

/** Tells where answers end. They arrive one at a time. */
class Answers {
  readonly #whole: (status: number) => void;
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  #missing = 0;
  /** The last bytes of an answer that comes in pieces. Null if the length is known. */
  #tail: Buffer | null = null;

  constructor(whole: (status: number) => void) {
    this.#whole = whole;
  }

  take(chunk: Buffer): void {
    if (this.#status === 0) this.#takeHead(chunk);
    else this.#takeBody(chunk);
  }

  #takeHead(chunk: Buffer): void {
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(HEAD_END);
    if (end === -1) return;
    const head = this.#head.toString('latin1', 0, end);
    // The last piece of an empty answer begins with the end of the head.
    const body = this.#head.subarray(end + 2);
    this.#head = Buffer.alloc(0);
    this.#status = Number(head.slice(9, 12));
    this.#missing = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) + 2;
    this.#tail = /\r\ntransfer-encoding: *chunked/i.test(head) ? Buffer.alloc(0) : null;
    this.#takeBody(body);
  }

  #takeBody(bytes: Buffer): void {
    this.#missing -= bytes.length;
    if (this.#tail !== null) {
      this.#tail = Buffer.concat([this.#tail, bytes.subarray(-LAST_PIECE.length)]).subarray(
        -LAST_PIECE.length,
      );
      if (!this.#tail.equals(LAST_PIECE)) return;
    } else if (this.#missing > 0) return;
    const status = this.#status;
    this.#status = 0;
    this.#whole(status);
  }
}
