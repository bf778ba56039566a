import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from '../smtp/dialogue.ts';
import { HANG_MS, until, within } from '../waiting.ts';

/** Somebody who only wants their job watched. */
export interface Neighbour {
  /** The number of their pings that were acknowledged. */
  readonly acknowledged: number;
  readonly maxWaitMs: number;
  /** Answers, or the lack of one, that a ping should not get. */
  readonly wrong: readonly string[];
  /** Resolves when so many more pings have been answered, rightly or not. */
  more(pings: number): Promise<void>;
  stop(): Promise<void>;
}

/** Null where the ping was acknowledged, else what came instead. */
type Ping = () => Promise<string | null>;

const PAUSE_MS = 10;

function startNeighbour(ping: Ping, cleanUp: () => void = () => undefined): Neighbour {
  const stopping = new AbortController();
  const seen = { acknowledged: 0, answered: 0, maxWaitMs: 0, wrong: [] as string[] };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const begun = performance.now();
      const wrong = await ping().catch((error: unknown) => String(error));
      seen.maxWaitMs = Math.max(seen.maxWaitMs, performance.now() - begun);
      seen.answered++;
      if (wrong === null) seen.acknowledged++;
      else seen.wrong.push(wrong);
      await sleep(PAUSE_MS);
    }
  })();
  return {
    get acknowledged() {
      return seen.acknowledged;
    },
    get maxWaitMs() {
      return seen.maxWaitMs;
    },
    get wrong() {
      return seen.wrong;
    },
    more: (pings) => {
      const goal = seen.answered + pings;
      return until('the neighbour has pinged', () => seen.answered >= goal);
    },
    async stop() {
      stopping.abort();
      await running;
      cleanUp();
    },
  };
}

/** Pings on one connection, as a long-running program does. */
export function pingsOnOneConnection(port: number, check: string): Neighbour {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return startNeighbour(
    () => httpPing(port, `/ping/${check}`, 'GET', agent),
    () => agent.destroy(),
  );
}

/** Pings with a body and a new connection each, as curl does. */
export function pingsOnNewConnections(port: number, check: string): Neighbour {
  return startNeighbour(() => httpPing(port, `/ping/${check}`, 'POST', new Agent({ keepAlive: false })));
}

export function pingsByMail(port: number, address: string): Neighbour {
  return startNeighbour(async () => {
    using client = await openClient(port);
    const commands = ['EHLO neighbour', 'MAIL FROM:<a@example.org>', `RCPT TO:<${address}>`, 'DATA'];
    for (const command of [null, ...commands, 'Subject: done\r\n\r\nall well\r\n.']) {
      if (command !== null) client.send(`${command}\r\n`);
      const reply = await client.reply();
      if (!/^[23]/.test(reply ?? '')) return `mail: ${reply}`;
    }
    return null;
  });
}

/** Tells that a job has failed, and then that it has succeeded. Each time the alert must arrive. */
export async function hearsOfFailures(target: {
  readonly port: number;
  readonly key: string;
}): Promise<Neighbour> {
  const { port, key } = target;
  let heard = Promise.withResolvers<void>();
  const receiver = createServer((incoming, answer) => {
    incoming.resume();
    answer.end();
    heard.resolve();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port: receiverPort } = receiver.address() as AddressInfo;
  const create = async (path: string, body: object) => {
    const headers = { 'X-Api-Key': key };
    const url = `http://127.0.0.1:${port}/api/v3/${path}/`;
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path} was answered ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as { readonly id: string; readonly uuid: string };
  };
  const call = { url: `http://127.0.0.1:${receiverPort}/` };
  const { id } = await create('channels', { kind: 'webhook', settings: { down: call, up: call } });
  const { uuid } = await create('checks', { name: 'alerted', channels: id });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let signal = '';
  return startNeighbour(
    async () => {
      heard = Promise.withResolvers();
      signal = signal === '/fail' ? '' : '/fail';
      const wrong = await httpPing(port, `/ping/${uuid}${signal}`, 'GET', agent);
      if (wrong !== null) return wrong;
      return within(
        heard.promise.then(() => null),
        () => 'no alert',
      );
    },
    () => {
      agent.destroy();
      receiver.close();
      receiver.closeAllConnections();
    },
  );
}

function httpPing(port: number, path: string, method: string, agent: Agent): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const sent = request({ host: '127.0.0.1', port, path, method, agent, timeout: HANG_MS }, (answer) => {
    answer.resume();
    answer.on('end', () => resolve(answer.statusCode === 200 ? null : `status ${answer.statusCode}`));
    answer.on('error', reject);
  });
  sent.on('timeout', () => sent.destroy(new Error('no answer')));
  sent.on('error', reject);
  sent.end(method === 'POST' ? 'done' : undefined);
  return promise;
}
