import type { Socket } from 'node:net';

/** For each connection, the work that must end before the next ping takes effect. Most connections have none. */
export class ConnectionOrder {
  readonly #last = new WeakMap<Socket, Promise<void>>();

  before(socket: Socket): Promise<void> | undefined {
    return this.#last.get(socket);
  }

  /** Later requests on the connection wait until the work is settled. */
  add(socket: Socket, work: Promise<unknown>): void {
    const end = () => {
      if (this.#last.get(socket) === over) this.#last.delete(socket);
    };
    const over = work.then(end, end);
    this.#last.set(socket, over);
  }
}
