import type { Socket } from 'node:net';
import {
  type ConnectionError,
  Dialer,
  type DialerOptions,
  ExchangeFailure,
  failureText,
  secured,
  unlessAborted,
} from './dialer.ts';

/** The other end of a conversation: a socket of this machine, or a port of a host. */
export type SocketTarget =
  | { readonly path: string }
  | { readonly host: string; readonly port: number; readonly isSecure: boolean };

/** Bytes in both directions. */
export interface Line {
  write(bytes: Uint8Array | string): void;
  /** Says that nothing more will be written. The other side may still write. */
  end(): void;
  /** The next bytes. Null when the other side has ended. */
  read(): Promise<Uint8Array | null>;
}

export type SocketResult<T> = T | { readonly error: ConnectionError };

/** Bytes that one conversation may receive. */
export const MAX_RECEIVED_BYTES = 256 * 1024;

/** Talks by other protocols than HTTP. A connection serves one conversation. */
export class SocketClient implements AsyncDisposable {
  readonly #dialer: Dialer;
  readonly #closing = new AbortController();

  constructor(options: DialerOptions) {
    this.#dialer = new Dialer(options);
  }

  /** Connects, talks and closes. Both together may take `timeoutMs`. Errors of `talk` are thrown on. */
  async converse<T>(
    target: SocketTarget,
    timeoutMs: number,
    talk: (line: Line) => Promise<T>,
  ): Promise<SocketResult<T>> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new ExchangeFailure('Connection timed out')), timeoutMs);
    const signal = AbortSignal.any([deadline.signal, this.#closing.signal]);
    let socket: Socket | null = null;
    try {
      return await unlessAborted(signal, async () => {
        socket = await this.#open(target, signal);
        return talk(lineOf(socket));
      });
    } catch (error) {
      if (error instanceof ExchangeFailure || signal.aborted) return { error: failureText(error) };
      throw error;
    } finally {
      clearTimeout(timer);
      hangUp(socket);
    }
  }

  /** Ends conversations under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#dialer[Symbol.asyncDispose]();
  }

  async #open(target: SocketTarget, signal: AbortSignal): Promise<Socket> {
    if ('path' in target) return this.#dialer.dialPath(target.path, signal);
    const socket = await this.#dialer.dial(target.host, target.port, signal);
    return target.isSecure ? secured(socket, target.host) : socket;
  }
}

/** Bytes that were written before are still sent. */
function hangUp(socket: Socket | null): void {
  socket?.destroySoon();
}

function lineOf(socket: Socket): Line {
  const chunks: AsyncIterator<Uint8Array> = socket.iterator({ destroyOnReturn: false });
  let received = 0;
  return {
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    async read() {
      const { done = false, value } = await chunks.next().catch(() => {
        throw new ExchangeFailure('Connection failed');
      });
      if (done) return null;
      received += value.length;
      if (received > MAX_RECEIVED_BYTES) throw new ExchangeFailure('Connection failed');
      return value;
    },
  };
}
