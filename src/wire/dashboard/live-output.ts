import { type Instant, MICROS_PER_SECOND, type Micros, toIsoSeconds } from '../../lib/instant.ts';

/** The places of a change in a project, to be read again. It does not contain the new values. */
export interface LiveChangeJson {
  /** The UUID of the project. */
  readonly project: string;
  /** Unique keys of checks; `all` if any check may have changed, or appeared, or gone. */
  readonly checks: readonly string[] | 'all';
  /** UUIDs of integrations, in the same way. */
  readonly channels: readonly string[] | 'all';
  /** Whether a check may have another status: counts, order and the title may have changed. */
  readonly statuses: boolean;
  /** The marks of the project now. A page that has read under these marks has read the change, too. */
  readonly marks: string;
}

/** Whether somebody watches, for the foot of the side bar. */
export interface WatchJson {
  /** Seconds since missed deadlines were last looked for. Null if no node has begun. */
  readonly swept_seconds_ago: number | null;
  /** Since when alerts may not be sent. Null while they are. */
  readonly alerts_stopped_since: string | null;
}

/** A message of a stream of events. */
export type LiveEventJson =
  /** The first message. `everything`: earlier changes are not known, so everything has to be read again. */
  | { readonly kind: 'hello'; readonly missed: 'everything' | 'nothing' }
  | ({ readonly kind: 'change' } & LiveChangeJson)
  /** Any project may have changed, and which projects there are. */
  | { readonly kind: 'everything' }
  /** Comes every few seconds. A stream without it is broken. */
  | ({ readonly kind: 'watch' } & WatchJson)
  /** The last message. The session has ended, or the person may no longer see these projects. */
  | { readonly kind: 'end'; readonly reason: 'not_signed_in' | 'no_access' };

/** The answer to a page that cannot keep a stream open and asks again and again. */
export interface LivePollJson {
  /** To be sent with the next question. */
  readonly last_event_id: string;
  readonly changes: readonly LiveChangeJson[] | 'everything';
  readonly watch: WatchJson;
}

export function watchJson({
  sinceSweep,
  stoppedSince,
}: {
  readonly sinceSweep: Micros | null;
  readonly stoppedSince: Instant | null;
}): WatchJson {
  return {
    swept_seconds_ago: sinceSweep === null ? null : Math.round(sinceSweep / (MICROS_PER_SECOND / 10)) / 10,
    alerts_stopped_since: toIsoSeconds(stoppedSince),
  };
}

/** One message of the stream. The browser sends `id` when it comes back. */
export function eventText(event: LiveEventJson, id: string | null): string {
  return `${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`;
}
