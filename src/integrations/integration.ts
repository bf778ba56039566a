import type { FlipReason } from '../domain/flip.ts';
import type { Ping } from '../domain/ping.ts';
import type { Fault } from '../lib/fields.ts';
import type { Instant, Micros } from '../lib/instant.ts';

/** The kinds of channel. Each has a folder here and a line in the registry. */
export type ChannelKind = 'email' | 'webhook';

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
  readonly site: { readonly name: string; readonly root: string };
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

/** How a try ended. A permanent failure switches the channel off; any other is tried again. */
export type Verdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** For people, at most 200 characters are kept. */
      readonly error: string;
      readonly isPermanent: boolean;
      /** What the provider asked for. */
      readonly retryAfterSeconds: number | null;
    };

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

export interface OutboundMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly content: Uint8Array;
  }[];
}

/** What sending may use of the world. */
export interface Ports {
  /** Sends once and judges the answer by the rules for all kinds; `null` status means that none came. */
  http(request: OutboundRequest): Promise<Verdict>;
  mail(mail: OutboundMail): Promise<Verdict>;
  /** Where a recipient can unsubscribe by one click. */
  unsubscribeUrl(): string;
}

/** The code for one kind of channel. */
export interface Integration<Settings> {
  /** What people call it. */
  readonly label: string;
  /** Names of the settings, as a configuration file spells them. */
  readonly settingNames: readonly string[];
  /** The settings, or what is wrong with them. */
  readSettings(source: Readonly<Record<string, unknown>>): Settings | Fault;
  /** Settings as they were stored, which an older version of the program may have done; or what is wrong. */
  readStored(stored: Readonly<Record<string, unknown>>): Settings | Fault;
  /** Whether this channel is told of changes in that direction. */
  wants(settings: Settings, to: Direction): boolean;
  /** What all messages that go the same way have in common, such as a host. */
  destination(settings: Settings, to: Direction): string;
  /** Whether messages quote the body of the last ping. */
  readonly needsBody: boolean;
  send(event: AlertEvent, settings: Settings, ports: Ports): Promise<Verdict>;
}
