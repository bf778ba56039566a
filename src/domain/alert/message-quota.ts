import { type Instant, type Micros, seconds, toIsoSeconds } from '../../lib/instant.ts';
import type { Account } from '../people/account.ts';

const DAY: Micros = seconds(86_400);

/** Kinds of messages that cost the operator money. */
export type Quota = 'sms' | 'whatsapp' | 'call';

/** Limits of an account for a month. SMS and WhatsApp messages count together. */
export interface MonthlyLimits {
  readonly sms: number;
  readonly calls: number;
}

export type CounterName = keyof MonthlyLimits;

/** The operator's limits for a month. */
export interface MessageLimits {
  /** To one account. */
  readonly account: MonthlyLimits;
  /** To one account in its first days, while its purpose is unknown. */
  readonly newAccount: MonthlyLimits;
  readonly newAccountDays: number;
  /** To all accounts together. */
  readonly instance: MonthlyLimits;
}

/** The account's limit for a month. Administrators are not strangers. */
export function accountLimit(
  { account, newAccount, newAccountDays }: MessageLimits,
  counter: CounterName,
  { createdAt, isAdmin }: Pick<Account, 'createdAt' | 'isAdmin'>,
  now: Instant,
): number {
  const isNew = !isAdmin && now - createdAt < newAccountDays * DAY;
  return isNew ? Math.min(account[counter], newAccount[counter]) : account[counter];
}

/** The limit that keeps a message from being sent. */
export type QuotaRefusal = 'account' | 'instance';

const QUOTAS: Readonly<Record<Quota, { counter: CounterName; error: string; label: string }>> = {
  sms: { counter: 'sms', error: 'Monthly SMS limit exceeded', label: 'SMS' },
  whatsapp: { counter: 'sms', error: 'Monthly message limit exceeded', label: 'WhatsApp' },
  call: { counter: 'calls', error: 'Monthly phone call limit exceeded', label: 'Phone Call' },
};

export function counterOf(quota: Quota): CounterName {
  return QUOTAS[quota].counter;
}

/** Why a message was not sent. */
export function quotaError(quota: Quota, refusal: QuotaRefusal): string {
  const { error } = QUOTAS[quota];
  return refusal === 'account' ? error : `${error} by all accounts of this service together`;
}

/** The kind of message, for people. */
export function quotaLabel(quota: Quota): string {
  return QUOTAS[quota].label;
}

/** The messages that an account has used. */
export interface MessageCount {
  /** The month that is counted, as `2026-11`. */
  readonly month: string;
  readonly used: number;
  /** When people were told that nothing is left. Null if they were not. */
  readonly toldAt: Instant | null;
}

/** Every refused message would be a mail otherwise. */
const TOLD_EVERY: Micros = DAY;

/** The month in UTC: `2026-11`. */
export function monthOf(at: Instant): string {
  return toIsoSeconds(at).slice(0, 7);
}

/** The use in this month, and its limit. */
export interface CounterUsage {
  readonly used: number;
  readonly limit: number;
}

export type Usage = Readonly<Record<CounterName, CounterUsage>>;

/** The use in the month of `now`. It starts at zero in each month. */
export function currentCount(stored: MessageCount | null, now: Instant): MessageCount {
  const month = monthOf(now);
  return stored?.month === month ? stored : { month, used: 0, toldAt: stored?.toldAt ?? null };
}

export interface Use {
  readonly isAllowed: boolean;
  /** Whether people are to be told that nothing is left. */
  readonly isTold: boolean;
  readonly count: MessageCount;
}

/** One more message. */
export function use(stored: MessageCount | null, limit: number, now: Instant): Use {
  const count = currentCount(stored, now);
  if (count.used < limit)
    return { isAllowed: true, isTold: false, count: { ...count, used: count.used + 1 } };
  return refused(stored, now);
}

/** A message that is not sent. People are told once a day. */
export function refused(stored: MessageCount | null, now: Instant): Use {
  const count = currentCount(stored, now);
  const isTold = count.toldAt === null || now - count.toldAt >= TOLD_EVERY;
  return { isAllowed: false, isTold, count: isTold ? { ...count, toldAt: now } : count };
}

/** One message less. If its month is over, nothing of it is left. */
export function unused(stored: MessageCount | null, now: Instant): MessageCount {
  const count = currentCount(stored, now);
  return { ...count, used: Math.max(0, count.used - 1) };
}

/** Masks a phone number so that its owner still recognises it: `+155******567`. */
export function maskedRecipient(recipient: string): string {
  return recipient.length > 7 ? `${recipient.slice(0, 4)}******${recipient.slice(-3)}` : recipient;
}
