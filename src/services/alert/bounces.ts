import { seconds } from '../../lib/instant.ts';
import { readDeliveryReport, readRecipient } from '../../lib/mime/delivery-report.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { Deps } from '../core/deps.ts';
import { amendDelivery } from './callbacks.ts';

/**
 * The subject of a mail: an alert or an account. The return address of the mail holds this, so a bounce can be
 * assigned.
 */
export interface BounceSubject {
  readonly kind: 'delivery' | 'account';
  readonly uuid: string;
}

export type BounceOutcome =
  | 'recorded'
  | 'bad_signature'
  /** The report is not about a failure. */
  | 'ignored'
  | 'delivery_not_found'
  | 'account_not_found';

/** Servers give up after a day or two. Older bounces are ignored. */
const BOUNCE_WINDOW = seconds(48 * 3600);
/** With the time and a UUID this makes 64 characters, the longest local part (RFC 5321, section 4.5.3.1.1). */
const SIGNATURE_LENGTH = 16;
const BOUNCE = 'bounce';
const TIME_LENGTH = 8;
const LETTERS = { delivery: 'n', account: 'r' } as const;
const BOUNCE_ID = /(?<![\w.+-])([nr])\.([0-9a-f-]{36})\.([0-9a-f]{8})\.([0-9a-f]{16})@/i;

/**
 * The return address of a mail, made from `template`, such as `%s@bounces.example.org`. It is signed and dated, so
 * nobody else can make one up, and an old one does not work.
 */
export function bounceAddress(
  deps: Pick<Deps, 'clock' | 'vault'>,
  template: string,
  { kind, uuid }: BounceSubject,
): string {
  const time = Math.floor(deps.clock.now() / seconds(1))
    .toString(16)
    .padStart(TIME_LENGTH, '0');
  const subject = `${LETTERS[kind]}.${uuid}.${time}`;
  // A function, because `$` has a meaning in a replacement string.
  return template.replace('%s', () => `${subject}.${deps.vault.sign(BOUNCE, subject, SIGNATURE_LENGTH)}`);
}

/** Handles a mail to a return address. After a permanent failure nothing more is sent to that recipient. */
export async function receiveBounce(deps: Deps, raw: Uint8Array): Promise<BounceOutcome> {
  const subject = readSubject(deps, readRecipient(raw));
  if (subject === null) return 'bad_signature';
  const failure = readFailure(raw);
  if (failure === null) return 'ignored';
  if (subject.kind === 'account') return stopWriting(deps, subject.uuid, failure);
  const verdict = { error: failure.error, off: failure.isPermanent ? ('bounced' as const) : null };
  const isKnown = await amendDelivery(deps, { uuid: subject.uuid }, BOUNCE_WINDOW, verdict);
  return isKnown ? 'recorded' : 'delivery_not_found';
}

/**
 * Only a permanent failure stops the mails. A temporary one changes nothing: an account has no place where it would be
 * seen.
 */
async function stopWriting(deps: Deps, uuid: string, { isPermanent }: Failure): Promise<BounceOutcome> {
  return deps.store.transaction(async (tx) => {
    const account = await tx.mailPreferences.byUuid(uuid);
    if (account === null) return 'account_not_found';
    if (!isPermanent) return 'recorded';
    await tx.mailPreferences.setReports(account.accountId, 'off', account.tz);
    await tx.mailPreferences.setReminders(account.accountId, 0);
    return 'recorded';
  });
}

/** Returns null when the signature is wrong or too old. */
function readSubject(deps: Deps, recipient: string): BounceSubject | null {
  const [, letter, uuid, time, signature] = BOUNCE_ID.exec(recipient.toLowerCase()) ?? [];
  if (letter === undefined || uuid === undefined || time === undefined || signature === undefined)
    return null;
  if (!deps.vault.isSigned(signature, BOUNCE, `${letter}.${uuid}.${time}`, SIGNATURE_LENGTH)) return null;
  const age = deps.clock.now() - seconds(Number.parseInt(time, 16));
  if (age > BOUNCE_WINDOW) return null;
  return { kind: letter === LETTERS.delivery ? 'delivery' : 'account', uuid };
}

interface Failure {
  readonly error: string;
  readonly isPermanent: boolean;
}

/** Returns null for a report that is not about a failure, and for any other mail. */
function readFailure(raw: Uint8Array): Failure | null {
  const report = readDeliveryReport(raw);
  const [status = ''] = /^[\d.]*/.exec(report?.status ?? '') ?? [];
  if (report === null || !/^[45]\./.test(status)) return null;
  const diagnostic = oneLine(report.diagnostic.replace(/^\s*smtp;\s*/i, ''));
  return {
    error: `Delivery failed (${diagnostic || `SMTP status code: ${status}`})`,
    // 5.4.4 means that the domain cannot be reached now. The recipient may still exist.
    isPermanent: status.startsWith('5.') && status !== '5.4.4',
  };
}
