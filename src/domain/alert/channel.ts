import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { FlipReason } from '../check/flip.ts';

/** Time for setting up a channel at its provider. */
export const CONNECTION_SPAN: Micros = seconds(3_600);

/** A configured destination of alerts. Users and the provisioning file say "integration". */
export interface Channel {
  id: number;
  uuid: string;
  projectId: number;
  kind: string;
  /** May be empty. */
  name: string;
  settings: StoredSettings;
  /** False until the recipient has confirmed that messages are wanted. */
  verified: boolean;
  /** Null while it is on. */
  off: SwitchedOff | null;
  /** Null before the first. */
  lastAttempt: LastAttempt | null;
  /** When the first attempt failed since the last one that succeeded. Null while attempts succeed. */
  failingSince: Instant | null;
  /** Until when nothing is sent to it, because the provider has asked for a pause or does not answer. */
  pausedUntilAt: Instant | null;
  createdAt: Instant;
}

/** Nothing was sent to it yet. */
export type NewChannel = Omit<Channel, 'id' | 'lastAttempt' | 'failingSince' | 'pausedUntilAt'>;

/**
 * Secrets are sealed. The registry of integrations makes these from the settings that a person enters, and reads them.
 */
export interface StoredSettings {
  /** All but the secrets. Rows that are older than sealing have their secrets here until they are sealed. */
  readonly open: unknown;
  /** The secrets, sealed together; null where there are none. */
  readonly sealed: string | null;
}

/** Reasons why a channel is off. Older programs recorded none when they switched one off. */
export const OFF_REASONS = [
  'unsubscribed',
  'bounced',
  'reported',
  'failed',
  'switched_off',
  'unknown',
] as const;

export type OffReason = (typeof OFF_REASONS)[number];

/** Nothing is sent to the channel until somebody edits it or switches it on. */
export interface SwitchedOff {
  readonly reason: OffReason;
  /** The message of the destination; may be empty. */
  readonly error: string;
  /** Null where nobody knows. */
  readonly at: Instant | null;
}

/** The outcome of the last message to a channel, test messages included. */
export interface LastAttempt {
  readonly startedAt: Instant;
  readonly duration: Micros;
  /** Empty after a success. */
  readonly error: string;
}

/** A channel that is assigned to a check. */
export interface AssignedChannel {
  readonly id: number;
  /** The account that owns its project. */
  readonly accountId: number;
  /** Null while messages are sent to it. */
  readonly offReason: WithheldReason | null;
}

/** Why a message is not sent: its channel is off, or somebody has deleted the project. */
export type WithheldReason = OffReason | 'project_deleted';

/** Events that a channel can subscribe to: a missed deadline, a reported failure, the end of an outage. */
export const TOLD_EVENTS = ['down_timeout', 'down_fail', 'up'] as const;

export type ToldEvent = (typeof TOLD_EVENTS)[number];

/** Further events, about which a channel is told only if its owner asks for it: a run with a remark, somebody's answer. */
export const NOTICE_EVENTS = ['warned', 'answered'] as const;

export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

export const CHANNEL_EVENTS = [...TOLD_EVENTS, ...NOTICE_EVENTS] as const;

export type ChannelEvent = (typeof CHANNEL_EVENTS)[number];

/** How often a channel gets the report of its project. */
export const CHANNEL_REPORTS = ['off', 'daily', 'weekly'] as const;

export type ChannelReport = (typeof CHANNEL_REPORTS)[number];

export type ChannelReportPeriod = Exclude<ChannelReport, 'off'>;

/** A newer program may know further ones. */
export function asChannelReport(value: unknown): ChannelReport {
  return CHANNEL_REPORTS.find((report) => report === value) ?? 'off';
}

/** The event that a message is about. */
export function toldEvent(to: 'up' | 'down', reason: FlipReason): ToldEvent {
  if (to === 'up') return 'up';
  return reason === 'fail' ? 'down_fail' : 'down_timeout';
}

/** Whether the recipient wants messages. One who has unsubscribed has to confirm the address again. */
export function isStillConfirmed({ verified, off }: Pick<Channel, 'verified' | 'off'>): boolean {
  return verified && off?.reason !== 'unsubscribed';
}

export const MAX_PROJECT_CHANNELS = 1_000;

const OFF_TEXTS: Readonly<Record<OffReason, string>> = {
  unsubscribed: 'the recipient has unsubscribed',
  bounced: 'mail to it was returned',
  reported: 'its provider asked to stop',
  failed: 'the destination takes no more messages',
  switched_off: 'somebody switched it off',
  unknown: 'the reason is not known',
};

/** A newer program may know further reasons. */
export function asOffReason(text: string | null): OffReason {
  return OFF_REASONS.find((reason) => reason === text) ?? 'unknown';
}

/** Why a channel is off, for people. */
export function offText(reason: OffReason): string {
  return OFF_TEXTS[reason];
}

/** Why a message was withheld, for people. */
export function withheldBecause(reason: WithheldReason): string {
  if (reason === 'project_deleted') return 'The project was deleted';
  return `The integration is off: ${OFF_TEXTS[reason]}`;
}
