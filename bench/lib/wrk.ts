import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Load, Outcome } from './load.ts';

/**
 * Load by `wrk`, which has to be installed. It takes a fraction of what our own clients take of the processor, so that on few
 * cores a server is measured rather than its client. It sends the first request again and again, which must be a GET.
 */
export async function loadByWrk({ port, connections, request, millis = 0 }: Load): Promise<Outcome> {
  const { method, path, headers } = request(0);
  if (method !== 'GET') throw new Error('wrk is for GETs');
  const seconds = Math.max(1, Math.round(millis / 1_000));
  const { stdout } = await promisify(execFile)('wrk', [
    '--threads=1',
    `--connections=${connections}`,
    `--duration=${seconds}`,
    '--latency',
    ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
    `http://127.0.0.1:${port}${path}`,
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1]);
  return {
    requests: number(/(\d+) requests in/),
    perSecond: number(/Requests\/sec: +([\d.]+)/),
    p50Millis: millisOf(/50% +(\S+)/.exec(stdout)?.[1]),
    p99Millis: millisOf(/99% +(\S+)/.exec(stdout)?.[1]),
    maxMillis: millisOf(/Latency +\S+ +\S+ +(\S+)/.exec(stdout)?.[1]),
    p99Windows: [],
  };
}

const MILLIS = { us: 0.001, ms: 1, s: 1_000 } as const;

function millisOf(text = ''): number {
  const [, amount, unit = ''] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? [];
  return Number(amount) * (MILLIS[unit as keyof typeof MILLIS] ?? Number.NaN);
}
