import { BUTTON_VERBS } from '../../src/domain/alert/button.ts';
import { callApi } from './api.ts';
import type { Attack, Target } from './attack.ts';
import { open, push, readAll } from './sockets.ts';
import { openSilentPorts } from './webhooks.ts';

const CONNECTIONS = 10;
const VERBS = [...BUTTON_VERBS, 'nonsense'];

/** Opens addresses of buttons that were never made, and taps them. */
async function tapAtRandom({ httpPort }: Target, taps: number): Promise<void> {
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = await open(httpPort);
      for (let n = 0; n < taps; n++) {
        const path = `/buttons/${crypto.randomUUID()}/${VERBS[n % VERBS.length]}/${'x'.repeat(43)}/`;
        push(socket, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
        push(socket, `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
      }
      push(socket, 'GET /buttons/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      await readAll(socket);
    }),
  );
}

/**
 * All checks fail again and again, each failure is told to a webhook that never answers, and quiet times that follow each
 * other cover them.
 */
async function failInQuietTimes(target: Target, checks: number): Promise<void> {
  const rules = { again: 300, again_most: 100, each_failure: true };
  const { name } = (await callApi(target, '/api/v3/policies/', { name: 'noisy', ...rules })) as {
    name: string;
  };
  // They stay open until the thread of the attacker ends.
  const { ports } = await openSilentPorts();
  const settings = { down: { url: `http://127.0.0.1:${ports[0]}/` } };
  await callApi(target, '/api/v3/channels/', { kind: 'webhook', name: 'noisy', settings });
  const made: string[] = [];
  for (let n = 0; n < checks; n++) {
    const check = await callApi(target, '/api/v3/checks/', {
      name: `noisy ${n}`,
      tags: 'noisy',
      policy: name,
      channels: '*',
    });
    made.push(new URL((check as { ping_url: string }).ping_url).pathname);
  }
  const from = Math.ceil(Date.now() / 1000);
  for (let n = 0; n < checks; n++) {
    const span = { from: from + 60 * n, duration: 60 };
    await callApi(target, '/api/v3/quiet-times/', { name: `quiet ${n}`, tags: 'noisy', ...span });
    for (const path of made) await fetch(`http://127.0.0.1:${target.httpPort}${path}/fail`);
  }
}

export const RULE_ATTACKS: readonly Attack[] = [
  {
    name: 'taps on buttons that were never made',
    amount: { short: 200, full: 5_000 },
    run: tapAtRandom,
  },
  {
    name: 'failures that are each told, under many quiet times, with a key',
    amount: { short: 25, full: 200 },
    run: failInQuietTimes,
  },
];
