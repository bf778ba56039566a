import http from 'node:http';
import type { Delivery, Ping, Sender } from '../ping.ts';
import { addressOf, authorization, ProxyRefusal, proxyFor } from './proxy.ts';
import { type AnswerHeaders, deliveryOf, type PingRequest, requestOf } from './request.ts';
import type { SecureRequests } from './secure.ts';

export interface ConnectionOptions {
  readonly userAgent: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The origin that gets these headers; null if the server of each ping does. A ping that waited may have another. */
  readonly headersTo: string | null;
  /** Certificates in PEM that are trusted besides the usual ones. */
  readonly ca: string | null;
  /** Names the proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly wallNow: () => number;
}

interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
}

const MOST_REDIRECTS = 3;
/** A connection is kept for the next ping if the answer's body is not longer. */
const MOST_BODY_BYTES = 65_536;

/** Sends pings one after the other over one kept connection. It never throws: what went wrong is in the delivery. */
export function openSender(options: ConnectionOptions): Sender {
  return new Connection(options);
}

class Connection implements Sender {
  readonly #options: ConnectionOptions;
  readonly #plain = new http.Agent({ keepAlive: true });
  #secure: SecureRequests | null = null;
  /** The last answer, while its body still comes in. */
  #unread: http.IncomingMessage | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  async send(
    ping: Ping,
    { ageMs, until }: { readonly ageMs: number | null; readonly until: AbortSignal },
  ): Promise<Delivery> {
    try {
      const request = requestOf(ping, ageMs, this.#options.userAgent);
      return await this.#follow(request, until);
    } catch (error) {
      return failure(until.aborted ? 'no answer in time' : reasonOf(error));
    }
  }

  close(): void {
    this.#unread?.destroy();
    this.#plain.destroy();
    this.#secure?.close();
  }

  async #follow(first: PingRequest, signal: AbortSignal): Promise<Delivery> {
    let url = first.url;
    for (let redirects = 0; ; redirects += 1) {
      const isOwn = url.origin === (this.#options.headersTo ?? first.url.origin);
      const own = isOwn ? Object.fromEntries(this.#options.headers) : {};
      const request = { url, headers: { ...own, ...first.headers }, body: first.body };
      const answer = await this.#exchange(request, signal);
      if (answer.status !== 307 && answer.status !== 308) {
        return deliveryOf(answer.status, answer.headers, this.#options.wallNow());
      }
      const next = locationOf(answer, url);
      if (next === null) return failure(`the server answered ${answer.status} without an address`);
      if (redirects === MOST_REDIRECTS) return failure(`more than ${MOST_REDIRECTS} redirects`);
      if (url.protocol === 'https:' && next.protocol !== 'https:')
        return failure('a redirect from https to http');
      url = next;
    }
  }

  /** A kept connection may have been closed by the server meanwhile: then a fresh one is tried at once. */
  async #exchange(request: PingRequest, signal: AbortSignal): Promise<Answer> {
    const first = await this.#once(request, signal);
    if (first !== 'closed meanwhile') return first;
    const second = await this.#once(request, signal);
    if (second !== 'closed meanwhile') return second;
    throw new Error('connection closed');
  }

  async #once(
    { url, headers, body }: PingRequest,
    signal: AbortSignal,
  ): Promise<Answer | 'closed meanwhile'> {
    // The next request would open a second connection beside one whose answer never ends.
    this.#unread?.destroy();
    this.#unread = null;
    const request = await this.#request(url, headers, signal);
    return new Promise((resolve, reject) => {
      request.on('response', (response) => {
        this.#discard(response);
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      });
      request.on('error', (error) => {
        if (request.reusedSocket && !signal.aborted) resolve('closed meanwhile');
        else reject(error);
      });
      request.on('close', () => reject(new Error('connection closed')));
      // While a proxy has not answered, the request has no connection that the signal could end.
      signal.addEventListener('abort', () => this.#giveUp(reject), { once: true });
      if (signal.aborted) this.#giveUp(reject);
      request.end(body);
    });
  }

  #giveUp(reject: (reason: Error) => void): void {
    this.#secure?.giveUp();
    reject(new Error('given up'));
  }

  async #request(
    url: URL,
    headers: PingRequest['headers'],
    signal: AbortSignal,
  ): Promise<http.ClientRequest> {
    const proxy = proxyFor(url, this.#options.env);
    const common = { method: 'POST', signal };
    if (url.protocol === 'https:') return (await this.#tls()).request(url, { ...common, headers }, proxy);
    if (proxy === null) return http.request(url, { ...common, headers, agent: this.#plain });
    const proxied = { ...headers, Host: url.host, ...authorization(proxy) };
    const whole = { ...common, headers: proxied, path: url.href };
    return proxy.protocol === 'https:'
      ? (await this.#tls()).request(addressOf(proxy), whole, null)
      : http.request(addressOf(proxy), { ...whole, agent: this.#plain });
  }

  /** TLS takes longer to load than all the rest of a run, and many a server needs none. */
  async #tls(): Promise<SecureRequests> {
    const { SecureRequests } = await import('./secure.ts');
    this.#secure ??= new SecureRequests(this.#options.ca);
    return this.#secure;
  }

  /** The head of an answer says all. The rest is read so that the connection can be used again. */
  #discard(response: http.IncomingMessage): void {
    this.#unread = response;
    let bytes = 0;
    response.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > MOST_BODY_BYTES) response.destroy();
    });
    response.on('end', () => {
      if (this.#unread === response) this.#unread = null;
    });
    // The answer is known already.
    response.on('error', () => undefined);
  }
}

function locationOf(answer: Answer, from: URL): URL | null {
  const location = answer.headers.location;
  if (typeof location !== 'string') return null;
  try {
    const url = new URL(location, from);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

function failure(reason: string): Delivery {
  return { kind: 'failed', reason, retryAfterMs: null };
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name look-up failed',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'host not reachable',
  ENETUNREACH: 'network not reachable',
  HPE_HEADER_OVERFLOW: 'the answer has too many headers',
};

/** Messages of Node may hold the address, so only their codes are told. */
function reasonOf(error: unknown): string {
  if (error instanceof ProxyRefusal) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? (code === '' ? 'connection closed' : `connection failed (${code})`);
}
