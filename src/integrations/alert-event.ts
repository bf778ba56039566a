import type { FlipReason } from '../domain/flip.ts';
import type { Ping } from '../domain/ping.ts';
import type { Instant, Micros } from '../lib/instant.ts';
import type { MessageSite } from '../wire/site.ts';

/** Which way a check changed: the only two changes that are told to anybody. */
export type Direction = 'up' | 'down';

/** Everything a message may say about one change. Plain data: sending decides nothing about the check. */
export interface AlertEvent {
  /** The same over all tries, for providers that recognise repetitions. */
  readonly deliveryId: string;
  readonly isTest: boolean;
  /** When this try is made. */
  readonly now: Instant;
  /** When the check changed. */
  readonly at: Instant;
  readonly to: Direction;
  readonly reason: FlipReason;
  /** How long it had been down; null when it went down, and when nobody knows. */
  readonly downFor: Micros | null;
  readonly check: AlertedCheck;
  readonly projectName: string;
  /** The last ping at or before the change. */
  readonly ping: Ping | null;
  /** Its body, for kinds that want it; null when there is none or it cannot be had. */
  readonly body: Uint8Array | null;
  readonly site: MessageSite;
}

export interface AlertedCheck {
  readonly uuid: string;
  readonly uniqueKey: string;
  /** May be empty. */
  readonly name: string;
  readonly slug: string;
  readonly tags: string;
  readonly description: string;
  /** `timeout` in seconds for simple checks, else expression and zone. */
  readonly cadence:
    | { readonly kind: 'simple'; readonly timeoutSeconds: number }
    | { readonly kind: 'cron' | 'oncalendar'; readonly schedule: string; readonly tz: string };
  readonly createdAt: Instant;
  /** The check as version 3 of the API shows it to a read-write key. */
  readonly json: string;
}
