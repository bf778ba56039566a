import { asksToConfirm } from '../domain/incoming-ping.ts';
import { keywordCount } from '../domain/keyword-filter.ts';
import { classifyMail, type MailFilter, searchedText } from '../domain/mail-filter.ts';
import type { Signal } from '../domain/ping.ts';
import { ScanBudget } from '../lib/mime/scan-budget.ts';
import { mailText } from './mail-text.ts';

/** A message, and what is to be known of it. */
export interface MailQuestion {
  readonly raw: Uint8Array;
  /** Bytes of it that are kept; null keeps all. */
  readonly bodyLimit: number | null;
  /** The filters of its recipients, each once. */
  readonly filters: readonly MailFilter[];
}

export interface MailAnswer {
  /** What is kept of the message, in a block of its own. */
  readonly body: Uint8Array;
  readonly asksToConfirm: boolean;
  /** What the message means by each of the filters; null where it would take too long to tell. */
  readonly signals: readonly (Signal | null)[];
}

/**
 * Characters that are searched for keywords in one message, over all keywords of all its recipients: 32 keywords in the
 * longest of messages. It takes a second or some.
 */
export const MAX_KEYWORD_SCAN = 1024 * 1024 * 1024;

/** Reads a message as far as its recipients want to know: without a filter nobody looks at its texts. */
export function readMail(
  { raw, bodyLimit, filters }: MailQuestion,
  keywordScan = new ScanBudget(MAX_KEYWORD_SCAN),
): MailAnswer {
  const body = new Uint8Array(raw.subarray(0, bodyLimit ?? raw.length));
  return { body, asksToConfirm: asksToConfirm(body), signals: signalsOf(raw, filters, keywordScan) };
}

function signalsOf(
  raw: Uint8Array,
  filters: readonly MailFilter[],
  keywordScan: ScanBudget,
): (Signal | null)[] {
  if (filters.length === 0) return [];
  const text = mailText(raw);
  return filters.map((filter) => {
    const work = keywordCount(filter) * searchedText(filter, text).length;
    return keywordScan.spend(work) ? classifyMail(filter, text) : null;
  });
}
