import { HIGHEST_EXIT_STATUS } from '../../domain/check/exit-map.ts';
import { ALIAS_TOKEN } from '../../domain/ping/dialect.ts';
import type { ForeignTarget, PingAddressError, PingReading } from '../../domain/ping/incoming-ping.ts';
import { MAX_PING_AGE, type Signal } from '../../domain/ping/ping.ts';
import type { Clock } from '../../lib/clock.ts';
import { MICROS_PER_SECOND, type Micros, seconds } from '../../lib/instant.ts';
import { uuidOfName } from '../../lib/uuid-of-name.ts';
import { sha256 } from '../../lib/vault.ts';
import { isRid } from './address.ts';
import { cronitorDeclarationIn } from './declaration.ts';

const KEY = /^[A-Za-z0-9_-]+$/;

interface State {
  readonly signal: Exclude<Signal, 'ign'>;
  /** Whether it belongs to the run that `series` names. */
  readonly hasRun: boolean;
}

const COMPLETE: State = { signal: 'success', hasRun: true };

const STATES: ReadonlyMap<string, State> = new Map([
  ['run', { signal: 'start', hasRun: true }],
  ['complete', COMPLETE],
  ['', COMPLETE],
  ['ok', { signal: 'success', hasRun: false }],
  ['fail', { signal: 'fail', hasRun: true }],
  // Its command line sends this as a heartbeat.
  ['tick', { signal: 'success', hasRun: false }],
]);

/** Every ping has the time of its client, whose clock may be wrong. Only one that is much older comes late. */
const LATE_STAMP: Micros = seconds(10 * 60);

/**
 * Reads a telemetry address of Cronitor: the percent-decoded path after `/p/`, and the query. `usual` is the meaning of the
 * address for a project that does not accept the dialect.
 */
export function readCronitorPing(
  path: string,
  query: URLSearchParams,
  clock: Pick<Clock, 'now'>,
  usual: PingReading | PingAddressError = 'not_found',
): PingReading<ForeignTarget> | 'not_found' {
  const [key = '', monitor = '', ...rest] = path.split('/');
  if (!KEY.test(key) || monitor === '' || rest.length > 0) return 'not_found';
  // Environments share no check: staging would keep a dead production green.
  const env = lastOf(query, 'env');
  const name = env === '' ? monitor : `${monitor}-${env}`;
  const slug = name.toLowerCase().replace(/[^a-z0-9_-]/g, '-');
  const state = STATES.get(lastOf(query, 'state'));
  const { signal, hasRun } = state ?? COMPLETE;
  const exitStatus = exitStatusOf(signal, lastOf(query, 'status_code'));
  return {
    target: {
      dialect: 'cronitor',
      keyDigest: sha256(key),
      tokenDigest: ALIAS_TOKEN.test(name) ? sha256(name) : null,
      slug,
      create: lastOf(query, 'create') === '1',
      text: textOf(query, exitStatus),
      usual,
    },
    signal,
    exitStatus,
    fault: state === undefined ? 'unknown_state' : null,
    rid: hasRun ? runIdOf(lastOf(query, 'series')) : null,
    age: ageOf(lastOf(query, 'stamp'), clock),
    declaration: cronitorDeclarationIn(query),
  };
}

/** An exit status that contradicts the state is only a line of the body. */
function exitStatusOf(signal: State['signal'], text: string): number | null {
  const code = Number(text);
  if (!/^[0-9]+$/.test(text) || code > HIGHEST_EXIT_STATUS) return null;
  return signal === (code === 0 ? 'success' : 'fail') ? code : null;
}

/** `stamp` is a time in seconds. One that is in the future, or older than pings may be, is ignored. */
function ageOf(stamp: string, clock: Pick<Clock, 'now'>): Micros | undefined {
  if (!/^[0-9]+(\.[0-9]+)?$/.test(stamp)) return undefined;
  const age = clock.now() - Math.round(Number(stamp) * MICROS_PER_SECOND);
  return age >= LATE_STAMP && age <= MAX_PING_AGE ? age : undefined;
}

function runIdOf(series: string): string | null {
  if (series === '') return null;
  return isRid(series) ? series.toLowerCase() : uuidOfName(series);
}

function textOf(query: URLSearchParams, exitStatus: number | null): string {
  const message = lastOf(query, 'msg') || lastOf(query, 'message');
  const named = ['status_code', 'duration', 'host'].flatMap((name) => {
    const value = lastOf(query, name);
    return value === '' || (name === 'status_code' && exitStatus !== null) ? [] : [`${name}=${value}`];
  });
  const metrics = query.getAll('metric').map((metric) => metric.replace(':', '='));
  const lines = [...metrics, ...named].map((line) => line.replace(/[\r\n]+/g, ' '));
  return [message, ...lines].filter((line) => line !== '').join('\n');
}

/** If a parameter is repeated, the last one counts. */
function lastOf(query: URLSearchParams, name: string): string {
  return query.getAll(name).at(-1) ?? '';
}
