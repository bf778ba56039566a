import type { Ping, Signal } from '../../domain/ping/ping.ts';
import { MICROS_PER_SECOND, type Micros, toIsoMicros } from '../../lib/instant.ts';

export type PingJson = ReturnType<typeof pingJson>;

/** Clients know a closed list of signals. */
function listedSignal(signal: Signal): Exclude<Signal, 'progress'> {
  return signal === 'progress' ? 'log' : signal;
}

/** Does not show the exit status, because clients do not expect it. */
export function pingJson({ ping, duration }: { ping: Ping; duration: Micros | null }, checkUrl: string) {
  return {
    type: listedSignal(ping.signal),
    date: toIsoMicros(ping.createdAt),
    n: ping.n,
    scheme: ping.scheme,
    remote_addr: ping.remoteAddr,
    method: ping.method,
    ua: ping.userAgent,
    rid: ping.rid,
    body_url: ping.bodySize > 0 ? `${checkUrl}/pings/${ping.n}/body` : null,
    ...(duration !== null && { duration: toHundredths(duration) }),
    ...(ping.occurredAt !== null && { occurred: toIsoMicros(ping.occurredAt) }),
  };
}

/** Seconds with two decimals. A value halfway between two is rounded to the even one. */
export function toHundredths(duration: Micros): number {
  const unit = MICROS_PER_SECOND / 100;
  const whole = Math.floor(duration / unit);
  const rest = duration - whole * unit;
  const isUp = rest * 2 === unit ? whole % 2 === 1 : rest * 2 > unit;
  return (whole + (isUp ? 1 : 0)) / 100;
}
