import { connect, type Socket } from 'node:net';

/** A bare connection, for what no HTTP client would send. */
export class Wire implements Disposable {
  readonly socket: Socket;
  #received = '';
  #isClosed = false;
  #wake = Promise.withResolvers<void>();

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setNoDelay(true);
    this.socket.on('data', (bytes) => {
      this.#received += bytes.toString('latin1');
      this.#notify();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.#isClosed = true;
      this.#notify();
    });
  }

  /** Everything that has arrived so far. */
  get received(): string {
    return this.#received;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when the bytes are handed over. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }

  /** The received text, once it matches. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.#received)) {
      if (this.#isClosed) throw new Error(`closed before ${pattern}: ${this.#received}`);
      await this.#wake.promise;
    }
    return this.#received;
  }

  /** Everything that arrived until the other side hung up. */
  async untilClosed(): Promise<string> {
    while (!this.#isClosed) await this.#wake.promise;
    return this.#received;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  #notify(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}

/** Sends the bytes, and returns the head of the answer, with what came along. */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<string> {
  using wire = new Wire(port);
  await wire.send(bytes);
  return await wire.until(/\r\n\r\n/);
}
