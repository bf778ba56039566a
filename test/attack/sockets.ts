import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import type { Order } from './attacker.ts';

/** The address from which connections come, if this thread is an attacker's. */
const { from }: Partial<Order> = workerData ?? {};

/**
 * Another address than the innocent's, if the system has one, so that limits by address can tell them apart. Each
 * attack has its own, so that none of them is refused because of an earlier one.
 */
export function attackerAddress(attack: number): string {
  return process.platform === 'linux' ? `127.0.0.${2 + attack}` : '127.0.0.1';
}

/** A connection that reads nothing unless it is told to. It may be refused or cut off: that is no failure of an attack. */
export async function open(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress: from });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined);
  return socket;
}

/** Opens so many connections, a hundred at a time. */
export async function openMany(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const next = Math.min(100, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: next }, () => open(port)))));
  }
  return sockets;
}

/** Resolves when the other side has taken the bytes, or is gone; false where it is gone. */
export async function send(socket: Socket, bytes: string | Uint8Array): Promise<boolean> {
  if (socket.destroyed || !socket.writable) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onClose = () => resolve(false);
  socket.once('close', onClose);
  socket.write(bytes, (error) => resolve(error == null));
  const isTaken = await promise;
  socket.off('close', onClose);
  return isTaken;
}

/** Sends without a wait for a side that does not read: so much as fits on the way. */
export function push(socket: Socket, bytes: string | Uint8Array): void {
  if (!socket.destroyed && socket.writable) socket.write(bytes);
}

/** All that the other side says until it hangs up. */
export async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  if (!socket.closed) await once(socket, 'close').catch(() => undefined);
  return text;
}
