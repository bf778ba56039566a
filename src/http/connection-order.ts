import type { Socket } from 'node:net';

/** On each connection, what must be over before the next ping takes effect. Most connections have nothing. */
export class ConnectionOrder {
  readonly #last = new WeakMap<Socket, Promise<void>>();

  before(socket: Socket): Promise<void> | undefined {
    return this.#last.get(socket);
  }

  /** Whatever comes next on the connection waits until the work is settled. */
  add(socket: Socket, work: Promise<unknown>): void {
    const end = () => {
      if (this.#last.get(socket) === over) this.#last.delete(socket);
    };
    const over = work.then(end, end);
    this.#last.set(socket, over);
  }
}
