import { ALIAS_TOKEN } from '../../domain/ping/dialect.ts';
import type { ForeignTarget, PingAddressError, PingReading } from '../../domain/ping/incoming-ping.ts';
import { sha256 } from '../../lib/vault.ts';

/** Milliseconds. Uptime Kuma refuses more. */
const MAX_PING_MILLIS = 1e11;

/** Its clients send it when they have nothing to say. */
const USUAL_MESSAGE = 'OK';

/** Reads a push address of Uptime Kuma: the percent-decoded path after `/api/push/`, and the query. */
export function readKumaPush(
  path: string,
  query: URLSearchParams,
): PingReading<ForeignTarget> | PingAddressError {
  const token = path.endsWith('/') ? path.slice(0, -1) : path;
  if (!ALIAS_TOKEN.test(token)) return 'not_found';
  const [status = '', ...others] = query.getAll('status');
  const isUp = others.length === 0 && (status === '' || status === 'up');
  return {
    target: {
      dialect: 'kuma',
      tokenDigest: sha256(token),
      text: kumaText(query.get('msg') ?? '', query.get('ping') ?? ''),
    },
    signal: isUp ? 'success' : 'fail',
    exitStatus: null,
    fault: null,
    rid: null,
  };
}

/** The body of a ping: the message, and a line with the milliseconds that the job has measured. */
export function kumaText(message: string, ping: string): string {
  const millis = Number(ping);
  const isPing = ping.trim() !== '' && millis >= 0 && millis <= MAX_PING_MILLIS;
  const lines = [message === USUAL_MESSAGE ? '' : message, isPing ? `ping=${millis}` : ''];
  return lines.filter((line) => line !== '').join('\n');
}

const NOT_FOUND = 'Monitor not found or not active.';

/** The body of an answer, as clients of Uptime Kuma know it. */
export function kumaAnswer({ status, text }: { readonly status: number; readonly text: string }): string {
  if (status < 300) return JSON.stringify({ ok: true });
  return JSON.stringify({ ok: false, msg: status === 404 ? NOT_FOUND : text });
}
