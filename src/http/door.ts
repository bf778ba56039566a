import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { clientNetworks } from '../lib/ip-address.ts';
import type { Timers } from '../lib/timers.ts';
import { API_VERSIONS } from '../wire/api/version.ts';
import { hangUpAfter } from './hang-up.ts';
import type { HttpListener } from './listener.ts';
import { PING_DOORS, PingPaths } from './ping/paths.ts';
import { hasBody } from './ping/request-body.ts';

/** Pings that wait for the end of the start. More are refused. */
export const MAX_WAITING_PINGS = 1_000;
/** Pings of one client that wait. A client on this machine or a trusted proxy has no share: it stands for many. */
export const MAX_WAITING_PINGS_PER_CLIENT = 100;
/** A ping that has waited for this long is refused: many clients give up soon after. */
export const MAX_PING_WAIT_SECONDS = 10;
/** A client that was refused is told to try again after this time. */
const RETRY_SECONDS = 5;

export const ALIVE = 'alive';
export const PLAIN_TEXT = 'text/plain; charset=utf-8';

interface WaitingPing {
  readonly request: IncomingMessage;
  readonly forget: () => void;
}

type DoorListener = Pick<HttpListener, 'answerBy' | 'close' | 'isExempt'>;

export interface DoorOptions {
  /** The path of the site, without a slash at its end. */
  readonly prefix: string;
  readonly timers: Pick<Timers, 'callAfter'>;
}

/**
 * Answers while the service starts: the port is open, and the database is not. Pings wait, because few clients try again when a
 * connection is refused. Others learn how far the start is.
 */
export class Door {
  readonly #listener: DoorListener;
  readonly #timers: DoorOptions['timers'];
  readonly #pingPaths: readonly PingPaths[];
  readonly #alivePaths: ReadonlySet<string>;
  /** In the order in which they came. */
  readonly #waiting = new Map<ServerResponse, WaitingPing>();
  /** The number of waiting pings by client. */
  readonly #shares = new Map<string, number>();
  #progress = 'opening the database';

  constructor(listener: DoorListener, { prefix, timers }: DoorOptions) {
    this.#listener = listener;
    this.#timers = timers;
    this.#pingPaths = Object.values(PING_DOORS).map((path) => new PingPaths(prefix + path));
    this.#alivePaths = new Set(API_VERSIONS.map((version) => `${prefix}/api/v${version}/live/`));
    listener.answerBy((request, response) => this.#answer(request, response));
  }

  /** The number of pings that wait. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Says what the start is doing. Anybody can read it. */
  tell(progress: string): void {
    this.#progress = progress;
  }

  /** The service has started: passes it the pings that wait, and all requests that come from now on. */
  open(answer: RequestListener): void {
    this.#listener.answerBy(answer);
    for (const [response, { request, forget }] of [...this.#waiting]) {
      forget();
      answer(request, response);
    }
  }

  /** The service is to stop: refuses the pings that wait. */
  refuseAll(): void {
    this.tell('stopping');
    for (const [response, { request, forget }] of [...this.#waiting]) {
      forget();
      this.#refuse(request, response);
    }
  }

  /** The start has failed, or the service has stopped. */
  async close(): Promise<void> {
    this.refuseAll();
    await this.#listener.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '' } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    if (this.#pingPaths.some((paths) => paths.include(url)) && this.#hasRoom(request))
      this.#wait(request, response);
    else if (isRead && this.#alivePaths.has(url)) sendLine(response, 200, ALIVE);
    else this.#refuse(request, response);
  }

  #hasRoom({ socket: { remoteAddress = '' } }: IncomingMessage): boolean {
    if (this.#waiting.size >= MAX_WAITING_PINGS) return false;
    if (this.#listener.isExempt(remoteAddress)) return true;
    return (this.#shares.get(clientOf(remoteAddress)) ?? 0) < MAX_WAITING_PINGS_PER_CLIENT;
  }

  #wait(request: IncomingMessage, response: ServerResponse): void {
    const client = clientOf(request.socket.remoteAddress ?? '');
    this.#shares.set(client, (this.#shares.get(client) ?? 0) + 1);
    const forget = () => {
      const left = (this.#shares.get(client) ?? 0) - 1;
      if (left > 0) this.#shares.set(client, left);
      else this.#shares.delete(client);
      cancel();
      response.off('close', forget);
      this.#waiting.delete(response);
    };
    const cancel = this.#timers.callAfter(MAX_PING_WAIT_SECONDS * 1_000, () => {
      forget();
      this.#refuse(request, response);
    });
    response.once('close', forget);
    this.#waiting.set(response, { request, forget });
  }

  #refuse(request: IncomingMessage, response: ServerResponse): void {
    if (hasBody(request)) hangUpAfter(request, response);
    response.setHeader('Retry-After', RETRY_SECONDS);
    sendLine(response, 503, `starting: ${this.#progress}`);
  }
}

function clientOf(address: string): string {
  return clientNetworks(address)[0].name;
}

function sendLine(response: ServerResponse, status: number, line: string): void {
  const body = Buffer.from(line);
  response
    .writeHead(status, {
      'Content-Type': PLAIN_TEXT,
      'Content-Length': body.length,
      'Cache-Control': 'no-store',
    })
    .end(body);
}
