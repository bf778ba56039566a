import type { FlipReason } from '../../domain/check/flip.ts';
import { happenedAt, type Ping } from '../../domain/ping/ping.ts';
import type { Instant, Micros } from '../../lib/instant.ts';
import { spanText } from '../../lib/text/ages.ts';
import { relativeTime } from '../../lib/text/relative-time.ts';
import { checkAddress } from '../../wire/site.ts';
import type { AlertEvent } from '../kind/alert-event.ts';

/** In every test message, below a name that is TEST. */
export const TEST_STATEMENT = 'This is a test message: nothing has happened to your checks.';

/** The link to the check's page. Null if there is none: a test is about a check that does not exist. */
export function checkLink({ check, site, isTest, notice }: AlertEvent): string | null {
  if (notice !== undefined) return notice.link;
  return isTest ? null : checkAddress(site.root, check.uniqueKey);
}

/** Why a check went down, for people; empty if there is no reason. */
export function reasonText(reason: FlipReason): string {
  switch (reason) {
    case 'timeout':
      return 'success signal did not arrive on time, grace time passed';
    case 'fail':
      return 'received a failure signal';
    case '':
      return '';
    default:
      return reason satisfies never;
  }
}

/** The kind of a ping, for people. */
export function pingKind({ signal, exitStatus }: Pick<Ping, 'signal' | 'exitStatus'>): string {
  switch (signal) {
    case 'success':
      return 'Success';
    case 'fail':
      return exitStatus === null || exitStatus === 0 ? 'Failure' : `Exit status ${exitStatus}`;
    case 'start':
      return 'Start';
    case 'progress':
      return 'Progress';
    case 'log':
      return 'Log';
    case 'ign':
      return 'Ignored';
    default:
      return signal satisfies never;
  }
}

/** `Success, 10 minutes ago`, or `Never`. The duration belongs to the run that the ping ended. */
export function lastPingText(ping: Ping | null, now: Instant, duration: Micros | null = null): string {
  if (ping === null) return 'Never';
  const took = duration === null ? '' : `, took ${spanText(duration)}`;
  return `${pingKind(ping)}, ${relativeTime(happenedAt(ping), now)}${took}`;
}

/** Uses the number of the ping, not the live counter, which may have grown since the change. */
export function totalPings(ping: Ping | null): number {
  return ping?.n ?? 0;
}
