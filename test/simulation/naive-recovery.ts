import type { Flip } from '../../src/domain/check/flip.ts';
import type { Instant } from '../../src/lib/instant.ts';
import type { PingRow } from './observed.ts';

/** The good runs by a time: surely so many, and perhaps so many. */
export interface GoodRuns {
  readonly least: number;
  readonly most: number;
}

/** The good runs since that flip to up, with the one that brought it. Of results that came late nobody is sure. */
export function goodRunsSince(up: Flip, pings: readonly PingRow[], at: Instant, slack: number): GoodRuns {
  const good = pings.filter(({ signal, createdAt }) => signal === 'success' && createdAt >= up.createdAt);
  const isLater = ({ createdAt, occurredAt }: PingRow) =>
    occurredAt === null && createdAt > up.createdAt && createdAt <= at - slack;
  return {
    least: 1 + good.filter(isLater).length,
    most: Math.max(1, good.filter(({ createdAt }) => createdAt <= at + slack).length),
  };
}
