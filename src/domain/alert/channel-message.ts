import type { Instant, Micros } from '../../lib/instant.ts';
import {
  type AssignedChannel,
  type ChannelReportPeriod,
  NOTICE_EVENTS,
  type NoticeEvent,
  withheldBecause,
} from './channel.ts';
import { type Progress, untried, withheld } from './delivery.ts';
import type { Together } from './together.ts';

/** A run that has ended, as far as a message tells of it. Its ping may be gone when the message is sent. */
export interface ToldRun {
  readonly at: Instant;
  /** Null if its start is not known. */
  readonly took: Micros | null;
  readonly exitStatus: number | null;
  /** See `RUN_FLAGS`. */
  readonly flags: number;
  /** Its declared numbers, by name. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** Somebody has taken an outage on. */
export interface ToldAnswer {
  readonly at: Instant;
  /** Whoever it was, for people. */
  readonly by: string;
  /** Of how many further checks. Absent: none. */
  readonly also?: number;
}

/** The period that a report is about. */
export interface ToldPeriod {
  readonly period: ChannelReportPeriod;
  /** The zone in which the period begins and ends. */
  readonly tz: string;
  /** It is the last complete one before this time. */
  readonly at: Instant;
}

/** The subject of a message that tells of no change of status. */
export type MessageSubject =
  /** A run had a remark, and the one before it had none. */
  | { readonly kind: 'warned'; readonly parameters: ToldRun }
  | { readonly kind: 'answered'; readonly parameters: ToldAnswer }
  /** A run has succeeded. */
  | { readonly kind: 'done'; readonly parameters: ToldRun }
  /** How the project's checks did. */
  | { readonly kind: 'report'; readonly parameters: ToldPeriod }
  /** Several changes of status. */
  | { readonly kind: 'together'; readonly parameters: Together & { readonly dueAt: Instant } };

export type MessageKind = MessageSubject['kind'];

/** One message to one channel: a row of its outbox. */
export interface ChannelMessage extends Progress {
  id: number;
  /** Identifies the message to providers, equal in all attempts. */
  uuid: string;
  channelId: number;
  /** Null: it is about no single check. */
  checkId: number | null;
  /** The owner of the project when the message was queued: accounts take turns. Zero if unknown. */
  accountId: number;
  subject: MessageSubject;
}

export type NewChannelMessage = Omit<ChannelMessage, 'id'>;

/** The event that a channel must want to get the message. Null: it was asked for in another way. */
export function noticeEvent({ kind }: MessageSubject): NoticeEvent | null {
  return NOTICE_EVENTS.find((event) => event === kind) ?? null;
}

/** A row of the outbox. A channel that is off gets nothing; its row says so. */
export function newChannelMessage(
  { id, accountId, offReason }: AssignedChannel,
  checkId: number | null,
  subject: MessageSubject,
  uuid: string,
  now: Instant,
): NewChannelMessage {
  const progress = untried(now);
  const state = offReason === null ? progress : withheld(progress, withheldBecause(offReason), now);
  return { uuid, channelId: id, checkId, accountId, subject, ...state };
}
