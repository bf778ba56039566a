import type { FlipReason } from '../../domain/check/flip.ts';
import type { AlertStory, EarlierMessage, OtherChecks } from '../../domain/history/alert-story.ts';
import type { Ping } from '../../domain/ping/ping.ts';
import type { Instant, Micros } from '../../lib/instant.ts';
import type { MessageSite } from '../../wire/site.ts';

/** The direction of a change. Only these two changes cause messages. */
export type Direction = 'up' | 'down';

/**
 * Everything that a message may say about one change. It is plain data: sending a message decides nothing about the
 * check.
 */
export interface AlertEvent {
  /** The same for all attempts, for providers that recognise repetitions. */
  readonly deliveryId: string;
  readonly isTest: boolean;
  /** The account for which somebody asked for a test or a preview. Absent: an alert, which waits behind nobody. */
  readonly askedFor?: number;
  /** The time of this attempt. */
  readonly now: Instant;
  /** The time of the change. */
  readonly at: Instant;
  readonly to: Direction;
  readonly reason: FlipReason;
  /** How long the check had been down. Null if it went down, or if the time is unknown. */
  readonly downFor: Micros | null;
  readonly check: AlertedCheck;
  readonly projectName: string;
  /** The last ping at or before the change. */
  readonly ping: Ping | null;
  /** The body of that ping, for kinds that need it. Null if there is none or it cannot be read. */
  readonly body: Uint8Array | null;
  /** What was known when the status changed. Null for kinds that do not need it, and for a test. */
  readonly story: AlertStory | null;
  /** What else is down in the project now. Null as above. */
  readonly others: OtherChecks | null;
  /** The message that told of the outage which ends now. Null if there is none. */
  readonly answers: EarlierMessage | null;
  /**
   * Where a provider may report later what became of the message. Only the provider may know it. Null for a test, and if
   * nobody outside can reach this service.
   */
  readonly statusUrl: string | null;
  readonly site: MessageSite;
  /** What the owner of the channel has written instead of our words. Absent: nothing. */
  readonly ownWords?: OwnWords;
}

/** Plain text. An empty one stands for our words. */
export interface OwnWords {
  readonly title: string;
  readonly text: string;
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
  /** The check as version 3 of the API shows it to a read-write key. Its channels are there if the kind needs them. */
  readonly json: string;
}
