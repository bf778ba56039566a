import type { Instant } from '../lib/instant.ts';
import { type Progress, untried } from './delivery.ts';
import type { ReportPeriod } from './report.ts';

/** What a mail is about: no more than what cannot be found out when it is sent. */
export type MailSubject =
  /** The complete periods before the instant at which it was due, however late it leaves. */
  | { readonly kind: 'report'; readonly parameters: { readonly period: ReportPeriod; readonly at: Instant } }
  | { readonly kind: 'reminder'; readonly parameters: Readonly<Record<string, never>> }
  | { readonly kind: 'flapping'; readonly parameters: { readonly checkId: number; readonly flips: number } }
  | {
      readonly kind: 'blindness';
      readonly parameters: {
        readonly from: Instant;
        readonly until: Instant;
        /** How many checks of the account were given more time. */
        readonly excused: number;
      };
    };

export type MailKind = MailSubject['kind'];

/** One mail to one account: a row of the outbox. */
export interface QueuedMail extends Progress {
  id: number;
  /** What mail programs know it by; stable over tries. */
  uuid: string;
  accountId: number;
  subject: MailSubject;
}

export type NewMail = Omit<QueuedMail, 'id'>;

export function newMail(accountId: number, subject: MailSubject, uuid: string, now: Instant): NewMail {
  return { uuid, accountId, subject, ...untried(now) };
}
