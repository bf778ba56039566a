import type { StoredStatus } from '../../domain/check/check.ts';
import type { FlipReason } from '../../domain/check/flip.ts';
import { MAX_PING_USER_AGENT, NO_RUN_FACTS, type Signal } from '../../domain/ping/ping.ts';
import type { Instant } from '../../lib/instant.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { ImportedCheck, ImportedPing } from '../../services/importing/import.ts';
import { everyColumn, type HealthchecksSource } from './source.ts';
import type { Row } from './tables.ts';

const STATUSES: readonly StoredStatus[] = ['new', 'up', 'down', 'paused'];
const REASONS: readonly FlipReason[] = ['', 'timeout', 'fail'];
const SIGNALS: readonly Signal[] = ['success', 'start', 'fail', 'log', 'ign'];
const SCHEMES: readonly string[] = ['http', 'https', 'email'];
const MAX_METHOD = 10;
const MAX_ADDRESS = 45;
const MAX_EXIT_STATUS = 255;

/** A check that comes. */
export interface CarriedCheck {
  readonly uuid: string;
  readonly pingCount: number;
}

type FlipFound = ImportedCheck['flips'][number];

/** The changes of status of all checks. Of each it keeps two numbers: its time, and one for the rest. */
class FlipsFound {
  readonly #flips = new Map<number, number[]>();
  /** The checks of changes of which the old server has not told anybody yet, one entry for each change. */
  readonly untold: number[] = [];

  add(check: number, { createdAt, oldStatus, newStatus, reason }: FlipFound): void {
    const change = STATUSES.indexOf(oldStatus) * STATUSES.length + STATUSES.indexOf(newStatus);
    const rest = change * REASONS.length + REASONS.indexOf(reason);
    const known = this.#flips.get(check);
    if (known === undefined) this.#flips.set(check, [createdAt, rest]);
    else known.push(createdAt, rest);
  }

  /** The oldest first. */
  of(check: number): readonly FlipFound[] {
    const numbers = this.#flips.get(check) ?? [];
    const flips = numbers.flatMap((createdAt, index) => {
      if (index % 2 === 1) return [];
      const rest = numbers[index + 1] ?? 0;
      const change = Math.floor(rest / REASONS.length);
      const oldStatus = STATUSES[Math.floor(change / STATUSES.length)] ?? 'new';
      const newStatus = STATUSES[change % STATUSES.length] ?? 'new';
      return [{ createdAt, oldStatus, newStatus, reason: REASONS[rest % REASONS.length] ?? '' }];
    });
    return flips.toSorted((one, other) => one.createdAt - other.createdAt);
  }
}

/** Null if there is no such status. */
export function statusOf(written: string): StoredStatus | null {
  return STATUSES.find((one) => one === written) ?? null;
}

/** Whether the old server tells integrations of it. Coming up for the first time or after a pause ends no outage. */
function isTold({ oldStatus, newStatus }: FlipFound): boolean {
  return newStatus === 'down' || (newStatus === 'up' && oldStatus === 'down');
}

export async function readFlips(
  source: HealthchecksSource,
  now: Instant,
): Promise<Pick<FlipsFound, 'of' | 'untold'>> {
  const flips = new FlipsFound();
  for await (const row of source.rows('api_flip', everyColumn('api_flip'))) {
    const [oldStatus, newStatus] = [statusOf(row.old_status), statusOf(row.new_status)];
    const { owner_id: check, created } = row;
    if (check === null || created === null || oldStatus === null || newStatus === null) continue;
    const reason = REASONS.find((one) => one === row.reason) ?? '';
    const flip = { createdAt: Math.min(created, now), oldStatus, newStatus, reason };
    flips.add(check, flip);
    if (row.processed === null && isTold(flip)) flips.untold.push(check);
  }
  return flips;
}

/** The pings of the checks, from the one after the place on. Those that came after the check was read are left out. */
export async function* readPings(
  source: HealthchecksSource,
  checks: ReadonlyMap<number, CarriedCheck>,
  afterPlace: number,
): AsyncGenerator<ImportedPing> {
  for await (const row of source.rows('api_ping', everyColumn('api_ping'), { afterId: afterPlace })) {
    const check = checks.get(row.owner_id ?? 0);
    const { id, n, created } = row;
    if (check === undefined || id === null || n === null || created === null) continue;
    if (n < 1 || n > check.pingCount) continue;
    const body = bodyOf(row);
    yield {
      place: id,
      checkUuid: check.uuid,
      n,
      createdAt: created,
      occurredAt: null,
      ...NO_RUN_FACTS,
      signal: signalOf(row.kind),
      scheme: SCHEMES.includes(row.scheme) ? row.scheme : 'http',
      method: storable(row.method, MAX_METHOD),
      remoteAddr: storable(row.remote_addr, MAX_ADDRESS) || null,
      userAgent: storable(row.ua, MAX_PING_USER_AGENT),
      rid: row.rid,
      exitStatus: exitStatusOf(row.exitstatus),
      body,
      longBodySize: body === null && (row.object_size ?? 0) > 0 ? row.object_size : null,
    };
  }
}

/** An unknown kind only stays in the log. */
function signalOf(kind: string): Signal {
  if (kind === '') return 'success';
  return SIGNALS.find((one) => one === kind) ?? 'log';
}

/** Before 3.5 a body may be a text. */
function bodyOf({ body_raw: bytes, body: text }: Row<'api_ping'>): Uint8Array | null {
  if (bytes.length > 0) return bytes;
  return text === '' ? null : new TextEncoder().encode(text);
}

function exitStatusOf(status: number | null): number | null {
  return status !== null && status >= 0 && status <= MAX_EXIT_STATUS ? status : null;
}

function storable(text: string, limit: number): string {
  return firstCharacters(text.replaceAll('\0', '').toWellFormed(), limit);
}
