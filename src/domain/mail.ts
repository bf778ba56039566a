import type { Instant } from '../lib/instant.ts';
import { type Progress, untried } from './delivery.ts';
import type { ReportPeriod } from './report.ts';

/** What a mail is about. Contains only what cannot be read from the database when it is sent. */
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
        /** How many checks of the account got more time. */
        readonly excused: number;
      };
    };

export type MailKind = MailSubject['kind'];

/** One mail to one account: a row of the outbox. */
export interface QueuedMail extends Progress {
  id: number;
  /** Identifies the mail to mail programs. The same for all attempts. */
  uuid: string;
  accountId: number;
  subject: MailSubject;
}

export type NewMail = Omit<QueuedMail, 'id'>;

export function newMail(accountId: number, subject: MailSubject, uuid: string, now: Instant): NewMail {
  return { uuid, accountId, subject, ...untried(now) };
}
