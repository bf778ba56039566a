import type { MessageLimits } from '../../domain/alert/message-quota.ts';
import { type EnvSettingTable, type EnvValues, wholeNumber } from '../../lib/env-setting.ts';

const count = wholeNumber(0, 1_000_000_000);

const NEW_ACCOUNTS = {
  NEW_ACCOUNT_DAYS: {
    kind: wholeNumber(0, 3650),
    default: '7',
    doc: 'Days for which an account counts as new, and may send fewer messages that cost money; 0 if none does. Administrators are never new.',
  },
} satisfies EnvSettingTable;

/** SMS and WhatsApp messages of the operator's account. */
export const MESSAGE_LIMIT_SERVER = {
  SMS_MONTHLY_LIMIT: {
    kind: count,
    default: '10000',
    doc: 'SMS and WhatsApp messages that the projects of one account may send in a calendar month, together.',
  },
  SMS_NEW_ACCOUNT_LIMIT: {
    kind: count,
    default: '20',
    doc: 'The same for an account that is new.',
  },
  SMS_TOTAL_MONTHLY_LIMIT: {
    kind: count,
    default: '20000',
    doc: 'SMS and WhatsApp messages that all accounts may send in a calendar month, together.',
  },
  ...NEW_ACCOUNTS,
} satisfies EnvSettingTable;

/** Calls of the operator's account. */
export const CALL_LIMIT_SERVER = {
  CALL_MONTHLY_LIMIT: {
    kind: count,
    default: '10000',
    doc: 'Phone calls that the projects of one account may make in a calendar month, together.',
  },
  CALL_NEW_ACCOUNT_LIMIT: {
    kind: count,
    default: '10',
    doc: 'The same for an account that is new.',
  },
  CALL_TOTAL_MONTHLY_LIMIT: {
    kind: count,
    default: '20000',
    doc: 'Phone calls that all accounts may make in a calendar month, together.',
  },
  ...NEW_ACCOUNTS,
} satisfies EnvSettingTable;

/** The operator's limits. */
export function messageLimits(
  server: EnvValues<typeof MESSAGE_LIMIT_SERVER & typeof CALL_LIMIT_SERVER>,
): MessageLimits {
  return {
    account: { sms: server.SMS_MONTHLY_LIMIT, calls: server.CALL_MONTHLY_LIMIT },
    newAccount: { sms: server.SMS_NEW_ACCOUNT_LIMIT, calls: server.CALL_NEW_ACCOUNT_LIMIT },
    newAccountDays: server.NEW_ACCOUNT_DAYS,
    instance: { sms: server.SMS_TOTAL_MONTHLY_LIMIT, calls: server.CALL_TOTAL_MONTHLY_LIMIT },
  };
}
