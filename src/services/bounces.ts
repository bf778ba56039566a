import { seconds } from '../lib/instant.ts';
import { readDeliveryReport, readRecipient } from '../lib/mime/delivery-report.ts';
import { oneLine } from '../lib/text/one-line.ts';
import { amendDelivery } from './callbacks.ts';
import type { Deps } from './deps.ts';

/** What a mail was about, by which a bounce of it is known: an alert, or a report to an account. */
export interface BounceSubject {
  readonly kind: 'delivery' | 'account';
  readonly uuid: string;
}

export type BounceOutcome =
  | 'recorded'
  | 'bad_signature'
  /** It tells of no failure. */
  | 'ignored'
  | 'delivery_not_found'
  | 'account_not_found';

/** Servers give up after a day or two; a bounce of anything older is no news. */
const BOUNCE_WINDOW = seconds(48 * 3600);
/** With the time and a UUID just what a local part may have, 64 characters (RFC 5321, section 4.5.3.1.1). */
const SIGNATURE_LENGTH = 16;
const BOUNCE = 'bounce';
const TIME_LENGTH = 8;
const LETTERS = { delivery: 'n', account: 'r' } as const;
const BOUNCE_ID = /(?<![\w.+-])([nr])\.([0-9a-f-]{36})\.([0-9a-f]{8})\.([0-9a-f]{16})@/i;

/**
 * The address to which a mail that cannot be delivered is returned, made of `template`, such as
 * `%s@bounces.example.org`. Only this service can have made it up, and not long ago.
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
  // A function, since a replacement text could hold patterns.
  return template.replace('%s', () => `${subject}.${deps.vault.sign(BOUNCE, subject, SIGNATURE_LENGTH)}`);
}

/** What came back to such an address: whoever cannot be reached for good is not written to again. */
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

/** A failure that passes is no reason to stop, and nobody would look for it. */
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

/** Null where nobody here has signed it, or too long ago. */
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

/** Null for a report of anything but a failure, and for what is no report. */
function readFailure(raw: Uint8Array): Failure | null {
  const report = readDeliveryReport(raw);
  const [status = ''] = /^[\d.]*/.exec(report?.status ?? '') ?? [];
  if (report === null || !/^[45]\./.test(status)) return null;
  const diagnostic = oneLine(report.diagnostic.replace(/^\s*smtp;\s*/i, ''));
  return {
    error: `Delivery failed (${diagnostic || `SMTP status code: ${status}`})`,
    // A domain that cannot be reached just now is no proof that nobody lives there.
    isPermanent: status.startsWith('5.') && status !== '5.4.4',
  };
}
