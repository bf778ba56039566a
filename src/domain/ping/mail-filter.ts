import type { Check } from '../check/check.ts';
import { classify, type Keywords } from './keyword-filter.ts';
import type { Signal } from './ping.ts';

/** The settings of a check that decide the meaning of a mail. */
export type MailFilter = Readonly<Keywords & Pick<Check, 'filterSubject' | 'filterBody'>>;

/** The texts of a mail in which keywords are looked for. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** The meaning of a mail for a check. Valid only while the check has the filter with which the mail was read. */
export interface MailReading {
  /** Null: the check did not filter mails. */
  readonly filter: MailFilter | null;
  readonly signal: Signal;
  /** Whether it asks to confirm a subscription. */
  readonly asksToConfirm: boolean;
}

/** The filter of a check. Null if every mail to it is a success. */
export function mailFilterOf(check: MailFilter): MailFilter | null {
  const { filterSubject, filterBody } = check;
  if (!filterSubject && !filterBody) return null;
  const { startKeywords, successKeywords, failureKeywords, filterDefaultFail } = check;
  return { filterSubject, filterBody, startKeywords, successKeywords, failureKeywords, filterDefaultFail };
}

/** Filters with the same key give the same result for every mail. */
export function filterKey(filter: MailFilter | null): string {
  if (filter === null) return '';
  const { filterSubject, filterBody, startKeywords, successKeywords, failureKeywords, filterDefaultFail } =
    filter;
  return JSON.stringify([
    filterSubject,
    filterBody,
    filterDefaultFail,
    startKeywords,
    successKeywords,
    failureKeywords,
  ]);
}

/** The text that the filter looks at. */
export function searchedText({ filterSubject, filterBody }: MailFilter, { subject, text }: MailText): string {
  return [...(filterSubject ? [subject] : []), ...(filterBody ? [text] : [])].join('\n');
}

export function classifyMail(filter: MailFilter, mail: MailText): Signal {
  return classify(filter, searchedText(filter, mail));
}
