import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { callApi } from './api.ts';
import type { Attack, Target } from './attack.ts';

const PORTS = 10;
/** Each makes a message to every webhook. */
const FAILURES = 4;

/** Ports that accept connections and never answer. */
export interface SilentPorts extends AsyncDisposable {
  readonly ports: readonly number[];
}

export async function openSilentPorts(count = PORTS): Promise<SilentPorts> {
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  for (let n = 0; n < count; n++) {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
      socket.resume();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
  }
  return {
    ports: servers.map((server) => {
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : 0;
    }),
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function failWithWebhooks(target: Target, count: number): Promise<void> {
  // They stay open until the thread of the attacker ends.
  const { ports } = await openSilentPorts();
  for (let n = 0; n < count; n++) {
    const url = `http://127.0.0.1:${ports[n % ports.length]}/${n}`;
    await callApi(target, '/api/v3/channels/', {
      kind: 'webhook',
      name: `${n}`,
      settings: { down: { url } },
    });
  }
  for (let n = 0; n < FAILURES; n++) {
    const check = await callApi(target, '/api/v3/checks/', { name: `fails ${n}`, channels: '*' });
    const { ping_url: url } = check as { ping_url: string };
    await fetch(`http://127.0.0.1:${target.httpPort}${new URL(url).pathname}/fail`);
  }
}

export const WEBHOOK_ATTACKS: readonly Attack[] = [
  {
    name: 'alerts to webhooks that never answer, with a key',
    amount: { short: 160, full: 640 },
    run: failWithWebhooks,
  },
];
