import { lookup } from 'node:dns/promises';
// Imported as whole modules, so that a test can replace their functions and see which addresses are dialled.
import net from 'node:net';
import tls from 'node:tls';
import { isGlobalUnicast } from './address-guard.ts';
import { NO_PRIVATE_ADDRESS } from './private-address.ts';

export interface DialerOptions {
  /** Whether connections may also go to private addresses. */
  readonly allowPrivateAddresses: boolean;
  /** All addresses of a name; the system's resolver by default. */
  readonly resolve?: (host: string) => Promise<string[]>;
}

/** Fixed texts. They never contain an address, a header or any other part of a message. */
export type ConnectionError =
  | 'Connection timed out'
  | 'Could not resolve host'
  | 'Connection failed'
  | typeof NO_PRIVATE_ADDRESS
  | 'Too many redirects'
  | 'TLS handshake failed';

/** The limit for one of several addresses before the next is tried. Node's 250 ms is too short for a distant server. */
const ADDRESS_ATTEMPT_MS = 3_000;

/** Ends an exchange with one of the fixed error texts. */
export class ExchangeFailure extends Error {
  readonly text: ConnectionError;

  constructor(text: ConnectionError) {
    super(text);
    this.text = text;
  }
}

export function failureText(error: unknown): ConnectionError {
  if (error instanceof ExchangeFailure) return error.text;
  return error instanceof Error && error.name === 'TimeoutError'
    ? 'Connection timed out'
    : 'Connection failed';
}

export function privateAddress(): ExchangeFailure {
  return new ExchangeFailure(NO_PRIVATE_ADDRESS);
}

/**
 * Opens connections. It keeps them out of the private network it runs in: it resolves a name once, checks the addresses,
 * and connects to the checked addresses only.
 */
export class Dialer implements AsyncDisposable {
  readonly allowsPrivateAddresses: boolean;
  readonly #resolve: (host: string) => Promise<string[]>;
  readonly #sockets = new Set<net.Socket>();

  constructor({ allowPrivateAddresses, resolve = resolveBySystem }: DialerOptions) {
    this.allowsPrivateAddresses = allowPrivateAddresses;
    this.#resolve = resolve;
  }

  async dial(hostname: string, port: number, signal: AbortSignal): Promise<net.Socket> {
    const addresses = await this.#addressesOf(hostname);
    signal.throwIfAborted();
    const options = {
      host: hostname,
      port,
      noDelay: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
      // Replaces the system's resolver, which could give other addresses than the checked ones.
      lookup: pinned(addresses),
    };
    return this.#connected(net.connect(options), signal);
  }

  /** Connects to a socket of this machine, by its path. */
  async dialPath(path: string, signal: AbortSignal): Promise<net.Socket> {
    return this.#connected(net.connect({ path }), signal);
  }

  /** Closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      [...this.#sockets].map(async (socket) => {
        const { promise: closed, resolve } = Promise.withResolvers<void>();
        socket.once('close', () => resolve());
        socket.destroy();
        await closed;
      }),
    );
  }

  /** The addresses of a host. There is at least one, or it throws. */
  async lookUp(hostname: string): Promise<string[]> {
    if (net.isIP(hostname) !== 0) return [hostname];
    if (!this.allowsPrivateAddresses && isLocalhost(hostname)) throw privateAddress();
    const addresses = await this.#resolve(hostname).catch((): string[] => []);
    if (addresses.length === 0) throw new ExchangeFailure('Could not resolve host');
    return addresses;
  }

  /** The addresses of a host to which connections are allowed. There is at least one, or it throws. */
  async #addressesOf(hostname: string): Promise<string[]> {
    const addresses = await this.lookUp(hostname);
    if (this.allowsPrivateAddresses) return addresses;
    const permitted = addresses.filter(isGlobalUnicast);
    if (permitted.length === 0) throw privateAddress();
    return permitted;
  }

  /** Until the signal is aborted. */
  async #connected(socket: net.Socket, signal: AbortSignal): Promise<net.Socket> {
    this.#sockets.add(socket);
    const giveUp = () => socket.destroy();
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('close', () => {
      signal.removeEventListener('abort', giveUp);
      this.#sockets.delete(socket);
    });
    await opened(socket, 'connect', 'Connection failed');
    return socket;
  }
}

/** Starts TLS on a connection. Certificates are always verified; no setting turns that off. */
export async function secured(
  socket: net.Socket,
  hostname: string,
  protocols: string[] = [],
): Promise<net.Socket> {
  // RFC 6066 section 3: a server name is never an address and has no dot at its end.
  const name = hostname.replace(/\.$/, '');
  const secure = tls.connect({
    socket,
    host: name,
    servername: net.isIP(name) === 0 ? name : '',
    ...(protocols.length > 0 && { ALPNProtocols: protocols }),
    rejectUnauthorized: true,
  });
  await opened(secure, 'secureConnect', 'TLS handshake failed');
  return secure;
}

/** The result of the work. Throws the signal's reason as soon as it is aborted, though the work may go on. */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function resolveBySystem(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

function pinned(addresses: readonly string[]): net.LookupFunction {
  return (_hostname, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: net.isIP(address) })),
    );
}

/** RFC 6761 section 6.3: `localhost` and all names under it are loopback, whatever a resolver says. */
function isLocalhost(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/** Resolves at the event. Rejects if the socket closes before it. */
function opened(
  socket: net.Socket,
  event: 'connect' | 'secureConnect',
  failure: ConnectionError,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once(event, () => resolve());
  // The listener stays for the socket's life: an error without a listener would end the process.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    reject(new ExchangeFailure(error.code === 'ETIMEDOUT' ? 'Connection timed out' : failure));
  });
  socket.once('close', () => reject(new ExchangeFailure(failure)));
  return promise;
}
