import { asksToConfirm } from '../domain/ping/incoming-ping.ts';
import { keywordCount } from '../domain/ping/keyword-filter.ts';
import { classifyMail, type MailFilter, searchedText } from '../domain/ping/mail-filter.ts';
import type { Signal } from '../domain/ping/ping.ts';
import { ScanBudget } from '../lib/mime/scan-budget.ts';
import { mailText } from './mail-text.ts';

/** A message and the filters to apply to it. */
export interface MailQuestion {
  readonly raw: Uint8Array;
  /** Bytes of it that are kept. Null keeps all. */
  readonly bodyLimit: number | null;
  /** The distinct filters of its recipients. */
  readonly filters: readonly MailFilter[];
}

export interface MailAnswer {
  /** The kept bytes, copied. */
  readonly body: Uint8Array;
  readonly asksToConfirm: boolean;
  /** The signal of the message by each filter. Null if searching it would take too long. */
  readonly signals: readonly (Signal | null)[];
}

/**
 * Characters that are searched in one message, summed over all keywords of all recipients. Allows 32 keywords in the
 * longest message, which takes a second or two.
 */
export const MAX_KEYWORD_SCAN = 1024 * 1024 * 1024;

/** Reads a message for its recipients. Without filters it skips the texts. */
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
