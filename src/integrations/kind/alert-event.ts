import type { Button } from '../../domain/alert/button.ts';
import type { Repeat } from '../../domain/alert/delivery.ts';
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
  /** Equal in all attempts, for providers that recognise repetitions. */
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
  /** An outage that was told before. Absent: it is told for the first time, or ends. */
  readonly repeat?: RepeatOf;
  /** The duration of the outage. Null if the check went down, or if the time is unknown. */
  readonly downFor: Micros | null;
  readonly check: AlertedCheck;
  readonly projectName: string;
  /** The last ping at or before the change. */
  readonly ping: Ping | null;
  /** The body of that ping, for kinds that need it. Null if there is none or it cannot be read. */
  readonly body: Uint8Array | null;
  /** The story as of the change. Null for kinds that do not need it, and for a test. */
  readonly story: AlertStory | null;
  /** The other checks of the project that are down now. Null as above. */
  readonly others: OtherChecks | null;
  /** The message that told of the outage which ends now. Null if there is none. */
  readonly answers: EarlierMessage | null;
  /**
   * The address at which a provider may later report the fate of the message. Only the provider may know it. Null for a
   * test, and if nobody outside can reach this service.
   */
  readonly statusUrl: string | null;
  /** What readers can do at once. Empty if the check came up, and where nobody but this machine could use them. */
  readonly buttons: readonly Button[];
  readonly site: MessageSite;
  /** The words of the channel's owner, which replace ours. Absent: none. */
  readonly ownWords?: OwnWords;
  /** For a message that tells of no change of status. It has words of its own. Absent: it tells of a change. */
  readonly notice?: Notice;
}

/** Why an outage is told once more. */
export interface RepeatOf {
  readonly kind: Repeat['kind'];
  /** When the outage began. */
  readonly since: Instant;
}

/** How a message is shown that tells of no change of status. */
export interface Notice {
  /** One word about it. */
  readonly word: string;
  /** Whether all is well. */
  readonly isFine: boolean;
  /** The page to which it leads. */
  readonly link: string;
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
