import type { ServerLimits, Target } from '../ping.ts';
import { digest } from './digest.ts';

/** What servers have told, by their endpoints. */
export type Servers = ReadonlyMap<string, Told>;

interface Told extends ServerLimits {
  readonly wallMs: number;
}

const MOST_SERVERS = 100;
/** What was told longer ago is not believed. */
const GOOD_MS = 30 * 86_400_000;
/** What was told again is written again after this time. */
const FRESH_MS = 86_400_000;

/** The address without UUID, or without ping key and slug. */
export function endpointOf({ base }: Target): string {
  const withoutLast = base.replace(/\/[^/]*$/, '');
  return /\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(base)
    ? withoutLast
    : withoutLast.replace(/\/[^/]*$/, '');
}

/** Names a check without its address. */
export const digestOf = ({ base }: Target): Promise<string> => digest(base);

export function parseServers(text: string): Servers {
  const servers = new Map<string, Told>();
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== 'object' || found === null || !('servers' in found)) return servers;
    for (const [endpoint, told] of Object.entries(found.servers ?? {})) {
      const { body_bytes: bodyBytes, age_seconds: ageSeconds, wall: wallMs } = Object(told);
      const isNumber = (value: unknown) => value === null || typeof value === 'number';
      if (isNumber(bodyBytes) && isNumber(ageSeconds) && typeof wallMs === 'number') {
        servers.set(endpoint, { bodyBytes, ageSeconds, wallMs });
      }
    }
  } catch {
    // What servers have told can be asked for again.
  }
  return servers;
}

export function encodeServers(servers: Servers): string {
  const entries = [...servers].map(([endpoint, { bodyBytes, ageSeconds, wallMs }]) => [
    endpoint,
    { body_bytes: bodyBytes, age_seconds: ageSeconds, wall: wallMs },
  ]);
  return `${JSON.stringify({ version: 1, servers: Object.fromEntries(entries) })}\n`;
}

/** Null where the server has told nothing for a long time. */
export function limitsIn(servers: Servers, target: Target, wallMs: number): ServerLimits | null {
  const told = servers.get(endpointOf(target));
  if (told === undefined || Math.abs(wallMs - told.wallMs) > GOOD_MS) return null;
  return { bodyBytes: told.bodyBytes, ageSeconds: told.ageSeconds };
}

/** Null where nothing has changed that were worth writing. */
export function withLimits(
  servers: Servers,
  target: Target,
  limits: ServerLimits,
  wallMs: number,
): Servers | null {
  const endpoint = endpointOf(target);
  const told = servers.get(endpoint);
  const isSame = told?.bodyBytes === limits.bodyBytes && told.ageSeconds === limits.ageSeconds;
  if (isSame && Math.abs(wallMs - told.wallMs) < FRESH_MS) return null;
  const others = [...servers].filter(([other]) => other !== endpoint);
  return new Map([[endpoint, { ...limits, wallMs }], ...others.slice(0, MOST_SERVERS - 1)]);
}
