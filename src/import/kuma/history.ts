import type { StoredStatus } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { NO_RUN_FACTS, type Signal } from '../../domain/ping/ping.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { ImportedPing, ImportedState } from '../../services/importing/import.ts';
import type { KnownCheck } from '../../services/importing/known-checks.ts';
import { kumaText } from '../../wire/ping/kuma.ts';
import { BEAT, type Beat, type KumaDatabase, type Monitor } from './database.ts';

/** Pings, and changes of status, of one monitor that are carried. */
const MOST = 100;

export interface History {
  readonly state: ImportedState;
  readonly flips: readonly Pick<Flip, 'createdAt' | 'oldStatus' | 'newStatus' | 'reason'>[];
  /** The ids of the heartbeats that become pings, oldest first, with the number of the ping. */
  readonly pings: readonly { readonly id: number; readonly n: number }[];
  readonly newestPingAt: Instant | null;
}

export function historyOf(
  database: KumaDatabase,
  monitor: Monitor,
  isActive: boolean,
  earlier: KnownCheck['imported'],
): History {
  const pushes = database.newestBeats(monitor.id, 'pushes', MOST);
  const pingCount = database.countPushes(monitor.id) + forgotten(database, monitor, earlier);
  const lastPingAt = database.newestBeats(monitor.id, 'results', 1)[0]?.at ?? null;
  return {
    state: {
      status: isActive ? statusOf(database, monitor, lastPingAt) : 'paused',
      pingCount,
      lastPingAt,
      lastStartAt: null,
      lastStartRid: null,
      lastDuration: null,
      hasConfirmationLink: false,
    },
    flips: flipsOf(database, monitor),
    pings: pushes.map(({ id }, index) => ({ id, n: pingCount - pushes.length + index + 1 })),
    newestPingAt: pushes.at(-1)?.at ?? null,
  };
}

/** Pushes that Kuma has removed since an earlier import. Without them later ones would get the numbers of others. */
function forgotten(database: KumaDatabase, monitor: Monitor, earlier: KnownCheck['imported']): number {
  if (earlier === null || earlier.lastPingAt === null) return 0;
  return Math.max(0, earlier.pingCount - database.countPushes(monitor.id, earlier.lastPingAt));
}

/** Kuma removes heartbeats when they are old. */
const CREATION_SLACK = seconds(86_400);

function statusOf(database: KumaDatabase, monitor: Monitor, lastPingAt: Instant | null): StoredStatus {
  const newest = database.newestBeats(monitor.id, 'all', 1)[0];
  if (newest === undefined) return 'new';
  const status = carriedStatus(newest);
  if (lastPingAt !== null) return status;
  // Kuma calls a monitor down that was never pushed. If heartbeats were removed, pushes may have been among them.
  const oldest = database.oldestBeat(monitor.id);
  const isWhole =
    oldest === null ||
    monitor.createdAt === null ||
    oldest.at - monitor.createdAt <= seconds(monitor.interval) + CREATION_SLACK;
  return status === 'down' && !isWhole ? 'down' : 'new';
}

/** A monitor that is pending or under maintenance has not told that it is down. */
function carriedStatus({ status }: Beat): 'up' | 'down' {
  return status === BEAT.down ? 'down' : 'up';
}

function flipsOf(database: KumaDatabase, monitor: Monitor): History['flips'] {
  const beats = database.newestBeats(monitor.id, 'important', MOST + 1);
  const flips: History['flips'][number][] = [];
  // The first one only tells the status before the second, unless it is the first of all.
  const isWhole = beats.length <= MOST;
  let before: StoredStatus = isWhole || beats[0] === undefined ? 'new' : carriedStatus(beats[0]);
  for (const beat of isWhole ? beats : beats.slice(1)) {
    const after = carriedStatus(beat);
    if (after !== before)
      flips.push({ createdAt: beat.at, oldStatus: before, newStatus: after, reason: reasonOf(beat) });
    before = after;
  }
  return flips;
}

function reasonOf(beat: Beat): Flip['reason'] {
  if (carriedStatus(beat) === 'up') return '';
  return beat.isSilence ? 'timeout' : 'fail';
}

/** A failing push that Kuma wanted to see repeated first has changed no status. */
const SIGNALS: Readonly<Record<number, Signal>> = { [BEAT.up]: 'success', [BEAT.down]: 'fail' };

export function pingOf({ id, at, status, message, ping }: Beat, n: number, checkUuid: string): ImportedPing {
  const text = kumaText(message, ping === null ? '' : String(ping));
  return {
    place: id,
    checkUuid,
    n,
    createdAt: at,
    occurredAt: null,
    ...NO_RUN_FACTS,
    signal: SIGNALS[status] ?? 'log',
    // Kuma keeps nothing of the request.
    scheme: 'http',
    method: '',
    remoteAddr: null,
    userAgent: '',
    rid: null,
    exitStatus: null,
    body: text === '' ? null : Buffer.from(text),
    longBodySize: null,
  };
}
