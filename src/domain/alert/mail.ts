import type { Instant } from '../../lib/instant.ts';
import type { DateStyle } from '../../lib/text/date-style.ts';
import type { LinkPurpose } from '../people/link.ts';
import type { ReportPeriod } from '../people/report.ts';
import type { ChannelTrouble } from './channel-health.ts';
import { type Progress, untried } from './delivery.ts';
import type { Quota, QuotaRefusal } from './message-quota.ts';

/** The subject of a mail. It contains only facts that cannot be read from the database when the mail is sent. */
export type MailSubject =
  /** About the complete periods before `at`, when the report was due, however late it is sent. */
  | { readonly kind: 'report'; readonly parameters: { readonly period: ReportPeriod; readonly at: Instant } }
  | { readonly kind: 'reminder'; readonly parameters: Readonly<Record<string, never>> }
  | { readonly kind: 'flapping'; readonly parameters: { readonly checkId: number; readonly flips: number } }
  | {
      readonly kind: 'blindness';
      readonly parameters: {
        readonly from: Instant;
        readonly until: Instant;
        /** The number of the account's checks that got more time. */
        readonly excused: number;
      };
    }
  /** A link that works once. Its secret part is sealed: the row of the link has only a digest of it. */
  | {
      readonly kind: 'link';
      readonly parameters: {
        readonly purpose: LinkPurpose;
        readonly sealed: string;
        /** A code that stands for the link, sealed, too. */
        readonly sealedCode?: string;
        /** The path where the person goes on, sealed as well: it may contain a secret. Absent if they did not ask for one. */
        readonly sealedNext?: string;
      };
    }
  /** An invitation to a project. The secret part of its link is sealed, as above. */
  | { readonly kind: 'invitation'; readonly parameters: { readonly sealed: string } }
  /** Somebody offers a project to the account. */
  | { readonly kind: 'transfer'; readonly parameters: { readonly projectId: number } }
  /** The recipient of a channel is asked whether messages are wanted. */
  | { readonly kind: 'channel_confirmation'; readonly parameters: { readonly channel: string } }
  /** A message could not be delivered, and not because of its channel. */
  | { readonly kind: 'undelivered'; readonly parameters: Undelivered }
  /** Signal wants a person to solve a captcha before it takes more messages. */
  | { readonly kind: 'signal_captcha'; readonly parameters: { readonly challenge: string } }
  /** All accounts together have sent as many messages in a month as the operator allows. For administrators. */
  | {
      readonly kind: 'message_limit';
      readonly parameters: { readonly quota: Quota; readonly limit: number };
    }
  /** No backup could be made. For administrators. */
  | { readonly kind: 'backup_failed'; readonly parameters: { readonly error: string } }
  /** A channel of the account does not work. */
  | {
      readonly kind: 'channel_trouble';
      readonly parameters: { readonly channel: string; readonly trouble: ChannelTrouble };
    }
  /** The account is gone, and with it how its owner wants dates to be written. */
  | { readonly kind: 'account_closed'; readonly parameters: ClosedAccount }
  /** Something happened to the account that its owner should know of. */
  | { readonly kind: 'security'; readonly parameters: SecurityEvent };

/** A message that was not delivered, and why. */
export interface Undelivered {
  readonly projectId: number;
  readonly why:
    | {
        readonly kind: 'quota';
        readonly quota: Quota;
        /** The limit that was reached. If it is missing, as in mails of older programs: the account's limit. */
        readonly of?: QuotaRefusal;
        /** The account's limit. */
        readonly limit: number;
      }
    | { readonly kind: 'captcha' };
  /** With its middle masked. */
  readonly recipient: string;
  readonly text: string;
}

/** A security event of an account, with its time and origin. */
export interface SecurityEvent {
  readonly what:
    | 'password_changed'
    | 'email_changed'
    | 'second_factors_changed'
    | 'wrong_second_factors'
    | 'identities_changed'
    | 'access_ended'
    | 'token_created'
    | 'account_closed'
    | 'new_browser';
  readonly at: Instant;
  readonly remoteAddr: string | null;
  readonly userAgent: string;
}

/** When an account was closed and from where, and how its owner wanted dates to be written. */
export interface ClosedAccount extends Pick<SecurityEvent, 'at' | 'remoteAddr'> {
  readonly timeZone: string;
  readonly dates: DateStyle;
}

export type MailKind = MailSubject['kind'];

/** One mail to one person: a row of the outbox. */
export interface QueuedMail extends Progress {
  id: number;
  /** Identifies the mail to mail programs, equal in all attempts. */
  uuid: string;
  /** Null for somebody who has no account. */
  accountId: number | null;
  /** The recipient, if it differs from the address of the account. */
  address: string | null;
  subject: MailSubject;
}

export type NewMail = Omit<QueuedMail, 'id'>;

export function newMail(accountId: number, subject: MailSubject, uuid: string, now: Instant): NewMail {
  return { uuid, accountId, address: null, subject, ...untried(now) };
}

/** A mail to an address, of an account or not. */
export function newMailTo(
  to: Pick<NewMail, 'accountId' | 'address'>,
  subject: MailSubject,
  uuid: string,
  now: Instant,
): NewMail {
  return { uuid, ...to, subject, ...untried(now) };
}
