import type { StoredStatus } from '../../domain/check/check.ts';
import type { FlipReason } from '../../domain/check/flip.ts';
import { MAX_PING_USER_AGENT, type Signal } from '../../domain/ping/ping.ts';
import type { Instant } from '../../lib/instant.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { Import, ImportedCheck, ImportedPing } from '../../services/importing/import.ts';
import { everyColumn, type HealthchecksSource } from './source.ts';
import type { Row } from './tables.ts';

const STATUSES: readonly StoredStatus[] = ['new', 'up', 'down', 'paused'];
const REASONS: readonly FlipReason[] = ['', 'timeout', 'fail'];
const SIGNALS: readonly Signal[] = ['success', 'start', 'fail', 'log', 'ign'];
const SCHEMES: readonly string[] = ['http', 'https', 'email'];
const MAX_METHOD = 10;
const MAX_ADDRESS = 45;
const MAX_EXIT_STATUS = 255;

export type FlipFound = ImportedCheck['flips'][number];

/** Null if there is no such status. */
export function statusOf(written: string): StoredStatus | null {
  return STATUSES.find((one) => one === written) ?? null;
}

/** The changes of status by the ids of checks, the oldest first. */
export async function readFlips(source: HealthchecksSource, now: Instant): Promise<Map<number, FlipFound[]>> {
  const flips = new Map<number, FlipFound[]>();
  for await (const row of source.rows('api_flip', everyColumn('api_flip'))) {
    const [oldStatus, newStatus] = [statusOf(row.old_status), statusOf(row.new_status)];
    const { owner_id: check, created } = row;
    if (check === null || created === null || oldStatus === null || newStatus === null) continue;
    const reason = REASONS.find((one) => one === row.reason) ?? '';
    const flip = { createdAt: Math.min(created, now), oldStatus, newStatus, reason };
    const known = flips.get(check);
    if (known === undefined) flips.set(check, [flip]);
    else known.push(flip);
  }
  // A sorted copy takes the memory that it needs, which an array that has grown does not.
  for (const [check, some] of flips)
    flips.set(
      check,
      some.toSorted((one, other) => one.createdAt - other.createdAt),
    );
  return flips;
}

/** The pings of the checks, from the one after the place on. Those that came after the check was read are left out. */
export async function* readPings(
  source: HealthchecksSource,
  { uuids, imported }: { readonly uuids: ReadonlyMap<number, string>; readonly imported: Import['checks'] },
  afterPlace: number,
): AsyncGenerator<ImportedPing> {
  for await (const row of source.rows('api_ping', everyColumn('api_ping'), afterPlace)) {
    const checkUuid = uuids.get(row.owner_id ?? 0) ?? '';
    const { pingCount = 0 } = imported.get(checkUuid)?.state ?? {};
    const { id, n, created } = row;
    if (id === null || n === null || created === null || n < 1 || n > pingCount) continue;
    const body = bodyOf(row);
    yield {
      place: id,
      checkUuid,
      n,
      createdAt: created,
      occurredAt: null,
      signal: signalOf(row.kind),
      scheme: SCHEMES.includes(row.scheme) ? row.scheme : 'http',
      method: storable(row.method, MAX_METHOD),
      remoteAddr: storable(row.remote_addr, MAX_ADDRESS) || null,
      userAgent: storable(row.ua, MAX_PING_USER_AGENT),
      rid: row.rid,
      exitStatus: exitStatusOf(row.exitstatus),
      body,
      objectSize: body === null && (row.object_size ?? 0) > 0 ? row.object_size : null,
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
