import type { Attack } from './attack.ts';
import { open, openMany, push, readAll, send } from './sockets.ts';

/** An answer of some hundred kilobytes, for which no key is needed. */
const LONG_ANSWER = 'GET /api/v3/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';

/** https://www.rfc-editor.org/rfc/rfc8446#section-4.1.2: the beginning of what a TLS client says first. */
const CLIENT_HELLO = Buffer.from(`16030102000100${'01fc0303'.padEnd(200, '0')}`, 'hex');

export const CONNECTION_ATTACKS: readonly Attack[] = [
  {
    name: 'clients that never read their answers',
    amount: { short: 100, full: 2_000 },
    async run({ httpPort }, clients) {
      for (const socket of await openMany(httpPort, clients)) {
        socket.pause();
        push(socket, LONG_ANSWER.repeat(10));
      }
    },
  },
  {
    name: 'pipelined requests on connections that read nothing',
    amount: { short: 10, full: 100 },
    async run({ httpPort, check }, clients) {
      const pings = `GET /ping/${check} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(1_000);
      for (const socket of await openMany(httpPort, clients)) {
        socket.pause();
        push(socket, LONG_ANSWER.repeat(500));
        push(socket, pings);
      }
    },
  },
  {
    name: 'requests that come byte by byte',
    amount: { short: 200, full: 3_000 },
    async run({ httpPort }, clients) {
      const sockets = await openMany(httpPort, clients);
      for (const byte of 'GET /ping/') for (const socket of sockets) await send(socket, byte);
    },
  },
  {
    name: 'requests whose bodies stop half-way',
    amount: { short: 200, full: 3_000 },
    async run({ httpPort, check }, clients) {
      const sockets = await openMany(httpPort, clients);
      for (const [index, socket] of sockets.entries()) {
        const path = index % 2 === 0 ? `/ping/${check}` : '/api/v3/checks/';
        push(socket, `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(2_500)}`);
      }
    },
  },
  {
    name: 'headers without an end',
    amount: { short: 100, full: 2_000 },
    async run({ httpPort }, clients) {
      const headers = Array.from({ length: 2_000 }, (_, index) => `X-${index}: ${index}\r\n`).join('');
      for (let sent = 0; sent < clients; sent++) {
        const socket = await open(httpPort);
        const answer = readAll(socket);
        await send(socket, `GET /api/v3/status/ HTTP/1.1\r\n${headers.repeat(4)}`);
        socket.end();
        await answer;
      }
    },
  },
  {
    name: 'TLS that is begun where none is spoken, and left so',
    amount: { short: 200, full: 3_000 },
    async run({ httpPort, smtpPort }, clients) {
      for (const socket of await openMany(httpPort, clients)) push(socket, CLIENT_HELLO);
      for (const socket of await openMany(smtpPort, clients / 10)) push(socket, CLIENT_HELLO);
    },
  },
  {
    name: 'connections that say nothing',
    amount: { short: 1_500, full: 10_000 },
    async run({ httpPort }, clients) {
      await openMany(httpPort, clients);
    },
  },
];
