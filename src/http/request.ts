import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ByteBudget } from '../lib/byte-budget.ts';

/** Shared by all requests. */
export interface RequestContext {
  readonly newRequestId: () => string;
  /** Tells the address of the client. */
  readonly addressOf: (raw: IncomingMessage) => string;
  readonly log: Logger;
  /** The memory for all bodies, except pings'. */
  readonly bodyBudget: ByteBudget;
  /** The part of it for bodies of callers without a known key. */
  readonly keylessBodyBudget: ByteBudget;
}

const NO_QUERY = new URLSearchParams();

/** A request other than a ping. */
export class HttpRequest {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: RequestContext;
  readonly id: string;
  /** The address of the client. Behind a trusted proxy it is the forwarded one. */
  readonly ip: string;

  constructor(raw: IncomingMessage, response: ServerResponse, context: RequestContext) {
    this.raw = raw;
    this.response = response;
    this.context = context;
    this.id = context.newRequestId();
    this.ip = context.addressOf(raw);
  }

  get method(): string {
    return this.raw.method ?? '';
  }

  get headers(): IncomingHttpHeaders {
    return this.raw.headers;
  }

  get query(): URLSearchParams {
    const { url = '' } = this.raw;
    const start = url.indexOf('?');
    return start === -1 ? NO_QUERY : new URLSearchParams(url.slice(start + 1));
  }

  /** The other end of the connection, which may be a proxy. */
  get peer(): { readonly address: string; readonly port: number } {
    const { remoteAddress = '', remotePort = 0 } = this.raw.socket;
    return { address: remoteAddress, port: remotePort };
  }

  /** Each line tells the id of the request. */
  get log(): Logger {
    return this.context.log.child({ reqId: this.id });
  }
}
