import net from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Agent, type buildConnector, Client } from 'undici';
import { isGlobalUnicast } from './address-guard.ts';
import {
  type ConnectionError,
  Dialer,
  ExchangeFailure,
  failureText,
  privateAddress,
  secured,
  unlessAborted,
} from './dialer.ts';

export interface HttpClientOptions {
  /** Sent if a request has no User-Agent of its own. */
  readonly userAgent: string;
  /** Whether connections may also go to private addresses. */
  readonly allowPrivateAddresses: boolean;
  /** URLs of the proxies for http and https targets, with credentials if needed. */
  readonly proxies: { readonly http: string | null; readonly https: string | null };
  /** All addresses of a name; the system's resolver by default. */
  readonly resolve?: (host: string) => Promise<string[]>;
  /** For a whole exchange: resolving, connecting, redirects and body. 30 seconds by default. */
  readonly timeoutMs?: number;
  /** Open at once to one host; 8 by default. */
  readonly connectionsPerHost?: number;
  /** 3 by default. */
  readonly maxRedirects?: number;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly signal?: AbortSignal;
  /** Bytes to read of the answer. 64 KiB by default. */
  readonly maxAnswerBytes?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case. Repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its beginning. */
  readonly body: Uint8Array;
}

export type HttpResult = HttpResponse | Failed;

/** Why there is no response. */
interface Failed {
  readonly error: ConnectionError;
}

export const DEFAULT_TIMEOUT_MS = 30_000;
export const MAX_BODY_BYTES = 64 * 1024;
export const MAX_REDIRECTS = 3;
export const DEFAULT_CONNECTIONS_PER_HOST = 8;
/** Long enough for a burst and its retries. Shorter than most servers allow, so they seldom close a connection in use. */
const KEEP_ALIVE_MS = 4_000;

/** The protocol that is offered to servers. */
const HTTP = ['http/1.1'];

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Callers cannot set these: the client frames messages and talks to proxies. */
const OWN_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that a redirect to another host keeps. Any other header may be a credential. */
const HEADERS_FOR_ANYONE = new Set([
  'accept',
  'accept-language',
  'content-encoding',
  'content-language',
  'content-type',
  'user-agent',
]);

type Header = readonly [name: string, value: string];

interface Proxy {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** The header that carries its credentials. */
  readonly headers: readonly Header[];
}

/**
 * Sends all outgoing requests. It keeps them out of the private network it runs in: it resolves a name once, checks the
 * addresses, and connects to the checked addresses only.
 */
export class HttpClient implements AsyncDisposable {
  readonly #userAgent: string;
  readonly #dialer: Dialer;
  readonly #httpProxy: Proxy | null;
  readonly #httpsProxy: Proxy | null;
  readonly #timeoutMs: number;
  readonly #maxRedirects: number;
  readonly #agent: Agent;
  readonly #closing = new AbortController();

  constructor(options: HttpClientOptions) {
    this.#userAgent = options.userAgent;
    this.#dialer = new Dialer(options);
    this.#httpProxy = parseProxy(options.proxies.http);
    this.#httpsProxy = parseProxy(options.proxies.https);
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#maxRedirects = options.maxRedirects ?? MAX_REDIRECTS;
    this.#agent = new Agent({
      connect: (target, callback) => this.#connect(target, callback),
      connections: options.connectionsPerHost ?? DEFAULT_CONNECTIONS_PER_HOST,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // One deadline covers the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Never throws. The response may have any status; the caller decides which ones are a success. */
  send(request: HttpRequest): Promise<HttpResult> {
    return this.#inTime((signal) => this.#exchange(request, signal), request.signal);
  }

  /**
   * The reason why another server must not be asked to connect to these hosts for somebody else. Null if it may. A host
   * can still resolve to another address later.
   */
  refusalOf(hosts: readonly string[]): Promise<Failed | null> {
    return this.#inTime(async () => {
      for (const host of hosts) await this.#refusePrivateTarget(host);
      return null;
    });
  }

  async #inTime<T>(
    work: (signal: AbortSignal) => Promise<T>,
    asked: AbortSignal | undefined = undefined,
  ): Promise<T | Failed> {
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new ExchangeFailure('Connection timed out')),
      this.#timeoutMs,
    );
    const signals = [deadline.signal, this.#closing.signal];
    const signal = AbortSignal.any(asked ? [...signals, asked] : signals);
    try {
      return await unlessAborted(signal, () => work(signal));
    } catch (error) {
      return { error: failureText(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends requests under way and closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
    await this.#dialer[Symbol.asyncDispose]();
  }

  /** Sends a request and follows its redirects. */
  async #exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    let url = this.#parseTarget(request.url);
    let headers = this.#requestHeaders(request, url);
    for (let redirects = 0; ; redirects++) {
      // Userinfo has become a header; it and the fragment have no place in a request line.
      url.username = url.password = url.hash = '';
      const response = await this.#request({ ...request, signal }, url, headers);

      const location = response.headers.location;
      if (!REDIRECT_STATUSES.has(response.status) || location === undefined) return response;
      if (redirects === this.#maxRedirects) throw new ExchangeFailure('Too many redirects');
      const next = this.#parseTarget(percentEncoded(location), url);
      if (!isSameParty(url, next)) {
        headers = headers.filter(([name]) => HEADERS_FOR_ANYONE.has(name.toLowerCase()));
      }
      url = next;
    }
  }

  #parseTarget(text: string, base?: URL): URL {
    const url = URL.parse(text, base?.href);
    if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
    // A URL with a zone, `[fe80::1%25eth0]`, does not parse, but it is meant for a private address.
    const isForZone = /^\s*\w+:\/\/[^/?#]*\[[^\]]*%/.test(text);
    throw isForZone && !this.#dialer.allowsPrivateAddresses
      ? privateAddress()
      : new ExchangeFailure('Connection failed');
  }

  #requestHeaders(request: HttpRequest, url: URL): Header[] {
    const headers: Header[] = Object.entries(request.headers)
      .filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))
      .map(([name, value]) => [name, toLatin1(value)]);
    const has = (wanted: string) => headers.some(([name]) => name.toLowerCase() === wanted);
    if (!has('user-agent')) headers.push(['user-agent', toLatin1(this.#userAgent)]);
    const credentials = basicCredentials(url);
    if (credentials !== null && !has('authorization')) headers.push(['authorization', credentials]);
    return headers;
  }

  async #request(request: HttpRequest, url: URL, headers: readonly Header[]): Promise<HttpResponse> {
    const proxy = this.#proxyFor(url.protocol);
    if (proxy !== null) await this.#refusePrivateTarget(hostOf(url));
    // RFC 9112 section 3.2.2: a proxy is asked for the whole URL. https goes through a tunnel instead.
    const isForwarded = proxy !== null && url.protocol === 'http:';
    const response = await this.#agent.request({
      origin: url.origin,
      path: isForwarded ? url.href : `${url.pathname}${url.search}`,
      method: request.method,
      headers: (isForwarded ? forwardedHeaders(headers, proxy) : headers).flat(),
      body: request.body,
      signal: request.signal ?? null,
    });
    const body = await readStart(response.body, request.maxAnswerBytes ?? MAX_BODY_BYTES);
    // undici reuses the connection from the next turn on; an earlier request would open another one.
    await setImmediate();
    return { status: response.statusCode, headers: joinHeaders(response.headers), body };
  }

  #proxyFor(protocol: string): Proxy | null {
    return protocol === 'https:' ? this.#httpsProxy : this.#httpProxy;
  }

  /** Opens a connection for the pool of a target. */
  #connect(target: buildConnector.Options, callback: buildConnector.Callback): void {
    const opening = new AbortController();
    // It has a time limit of its own: the request that asked for it may end earlier.
    const timer = setTimeout(
      () => opening.abort(new ExchangeFailure('Connection timed out')),
      this.#timeoutMs,
    );
    const signal = AbortSignal.any([opening.signal, this.#closing.signal]);
    unlessAborted(signal, () => this.#open(target, signal))
      .finally(() => clearTimeout(timer))
      .then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(new ExchangeFailure(failureText(error)), null),
      );
  }

  async #open(target: buildConnector.Options, signal: AbortSignal): Promise<net.Socket> {
    const { hostname } = target;
    const isSecure = target.protocol === 'https:';
    const port = portOf(target);
    const proxy = this.#proxyFor(target.protocol);

    let socket = await this.#dialer.dial(proxy?.hostname ?? hostname, proxy?.port ?? port, signal);
    if (proxy?.isSecure) socket = await secured(socket, proxy.hostname, HTTP);
    if (proxy !== null && isSecure) await openTunnel(socket, proxy, `${bracketed(hostname)}:${port}`);
    return isSecure ? secured(socket, hostname, HTTP) : socket;
  }

  /**
   * A proxy resolves the name itself and may choose any of its addresses, so one private address is enough to refuse. A
   * name that is unknown here may be known to the proxy, and is allowed. One without a dot is known in private networks only.
   */
  async #refusePrivateTarget(hostname: string): Promise<void> {
    if (this.#dialer.allowsPrivateAddresses) return;
    const addresses = await this.#dialer.lookUp(hostname).catch((error: unknown) => {
      if (failureText(error) === 'Could not resolve host' && hostname.includes('.')) return [];
      throw error;
    });
    if (!addresses.every(isGlobalUnicast)) throw privateAddress();
  }
}

function parseProxy(text: string | null): Proxy | null {
  if (text === null || text === '') return null;
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  // The message leaves out the text, which may contain a password.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('a proxy needs a URL of http or https');
  const credentials = basicCredentials(url);
  return {
    isSecure: url.protocol === 'https:',
    hostname: hostOf(url),
    port: portOf(url),
    headers: credentials === null ? [] : [['proxy-authorization', credentials]],
  };
}

function basicCredentials({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const plain = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return `Basic ${Buffer.from(plain).toString('base64')}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Servers put raw UTF-8 into Location. Node reads a header as Latin-1, one character for each byte. */
function percentEncoded(location: string): string {
  return location.replace(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The host without the brackets of an IPv6 address, as sockets need it. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf({ protocol, port }: { readonly protocol: string; readonly port: string }): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function bracketed(hostname: string): string {
  return net.isIPv6(hostname) ? `[${hostname}]` : hostname;
}

/** Whether a redirect stays with the same server: the same origin, or a change from http to https. */
function isSameParty(from: URL, to: URL): boolean {
  const isUpgrade =
    from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return from.origin === to.origin || (isUpgrade && from.hostname === to.hostname);
}

/** A header can carry only Latin-1. Other characters become `?`, so that the request can still be sent. */
function toLatin1(value: string): string {
  return value.replace(/[\u0100-\u{10ffff}]/gu, '?');
}

/** Some proxies use the Host header, against RFC 9112 section 3.2.2, so it is always the one of the URL. */
function forwardedHeaders(headers: readonly Header[], proxy: Proxy): Header[] {
  return [...headers.filter(([name]) => name.toLowerCase() !== 'host'), ...proxy.headers];
}

function joinHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}

/** Reads the start of a body. Leaving the loop early destroys the stream and its connection. */
async function readStart(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  // Copied, because a chunk of one byte can keep a large buffer in memory.
  const start = new Uint8Array(maxBytes);
  let size = 0;
  for await (const chunk of body) {
    const part = chunk.subarray(0, maxBytes - size);
    start.set(part, size);
    size += part.length;
    if (size === maxBytes) break;
  }
  return start.slice(0, size);
}

/** Asks a proxy for a tunnel to a host and port, RFC 9110 section 9.3.6. */
async function openTunnel(socket: net.Socket, proxy: Proxy, authority: string): Promise<void> {
  const client = new Client('http://proxy', {
    // Called later, because undici ignores a call during connect().
    connect: (_target, callback) => queueMicrotask(() => callback(null, socket)),
  });
  const headers = [['host', authority], ...proxy.headers].flat();
  try {
    const { statusCode } = await client.connect({ path: authority, headers });
    if (statusCode < 200 || statusCode >= 300) throw new ExchangeFailure('Connection failed');
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
