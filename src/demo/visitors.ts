import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError } from '../domain/errors.ts';
import { AddressLimit } from '../http/address-limit.ts';
import { clientAddresses } from '../http/client-address.ts';
import { errorReply } from '../http/error-map.ts';
import { hangUpAfter } from '../http/hang-up.ts';
import { PingPaths } from '../http/ping/paths.ts';
import { hasBody } from '../http/ping/request-body.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../storage/store.ts';

/** Requests of one address in a minute, and at once. */
export const VISITOR_REQUESTS_PER_MINUTE = 600;

const READS = ['GET', 'HEAD', 'OPTIONS'];
/** Views that take fields are asked by POST. */
const VIEW = /^\/dashboard\/api\/(?:.+\/)?read\/\w+$/;
/** The only acts of visitors. They write the session. */
const OWN_ACTS = ['/dashboard/api/do/lookAround', '/dashboard/api/do/signOut'];

export interface VisitorOptions {
  /** The path of the site, without a slash at its end. */
  readonly prefix: string;
  readonly trustedProxies: readonly string[];
  readonly isExempt: (address: string) => boolean;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * What people and programs from outside may do: read everything, and change nothing. Requests that would write are refused before
 * anything looks at them. Should one get through, the store refuses its transaction.
 */
export class Visitors {
  readonly #options: VisitorOptions;
  readonly #pings: PingPaths;
  readonly #limit: AddressLimit;
  readonly #addressOf: (request: IncomingMessage) => string;
  /** Whether the code that runs serves a request, and what that may do. */
  readonly #request = new AsyncLocalStorage<{ readonly mayWrite: boolean }>();
  readonly #answering = new Set<ServerResponse>();

  constructor(options: VisitorOptions) {
    this.#options = options;
    this.#pings = new PingPaths(`${options.prefix}/ping/`);
    this.#limit = new AddressLimit(VISITOR_REQUESTS_PER_MINUTE, options.isExempt, options.clock);
    this.#addressOf = clientAddresses(options.trustedProxies);
  }

  /** A store in which requests change nothing. Loops and jobs do. */
  guard(store: Store): Store {
    const transaction: Store['transaction'] = async (work, options) => {
      if (this.#request.getStore()?.mayWrite === false) throw new AppError('demonstration');
      return store.transaction(work, options);
    };
    return Object.create(store, { transaction: { value: transaction } });
  }

  /** Lets requests pass that only read. */
  receive(answer: RequestListener): RequestListener {
    return (request, response) => {
      response.setHeader('date', new Date(this.#options.clock.now() / 1_000).toUTCString());
      response.setHeader('x-robots-tag', 'noindex');
      const { method = '', url = '' } = request;
      const path = url.slice(this.#options.prefix.length).split('?')[0] ?? '';
      const mayWrite = method === 'POST' && OWN_ACTS.includes(path);
      const isRead = READS.includes(method) || (method === 'POST' && VIEW.test(path));
      const excess = this.#limit.take({ ip: this.#addressOf(request) });
      if (excess !== null) refuse(request, response, excess);
      else if (this.#pings.include(url)) refuse(request, response, new AppError('not_found'));
      else if (!isRead && !mayWrite) refuse(request, response, new AppError('demonstration'));
      else {
        this.#answering.add(response);
        response.once('close', () => this.#answering.delete(response));
        this.#request.run({ mayWrite }, () => answer(request, response));
      }
    };
  }

  /** The number of requests that are being answered. */
  get answeringCount(): number {
    return this.#answering.size;
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, error: AppError): void {
  if (hasBody(request)) hangUpAfter(request, response);
  const { status, error: text, code, retryAfterSeconds } = errorReply(error);
  if (retryAfterSeconds !== null) response.setHeader('Retry-After', retryAfterSeconds);
  const body = JSON.stringify({ error: text, code });
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    // Scripts of other sites learn why, too.
    'Access-Control-Allow-Origin': '*',
  });
  response.end(body);
}
