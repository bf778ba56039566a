import {
  type AccountLimits,
  REMINDER_PERIODS,
  REMINDER_SECONDS,
  THEMES,
} from '../../domain/people/account.ts';
import { MAX_PASSKEYS } from '../../domain/people/passkey.ts';
import { canonicalTimezone } from '../../domain/schedule/timezone.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { addressField } from '../../integrations/email/email.ts';
import { Fault } from '../../lib/fields.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { canCarryPassword } from '../../lib/password.ts';
import type { ImportedAccount } from '../../services/importing/import.ts';
import type { DeclaredAccount } from '../../services/provisioning/declaration.ts';
import type { RemarkList } from '../remarks.ts';
import { type About, storableText } from './foreign-text.ts';
import { everyColumn, type HealthchecksSource } from './source.ts';
import type { Row } from './tables.ts';

/** Limits of an account whose profile Healthchecks has not made yet. */
const USUAL_LIMITS = { checks: 500, pings: 100 };
const MAX_LIMIT = 10_000_000;
const SAME_HOST = 'if the host is the same, give the RP_ID of the old server by --rp-id';
const TOTP_SECRET = /^[A-Z2-7]{16,64}$/;

/** The parts of a stored security key: 16 bytes about the device, the length of the id in two bytes, the id, the key. */
const ID_LENGTH_AT = 16;
const ID_AT = 18;
const MAX_ID_BYTES = 1_023;
const MAX_KEY_BYTES = 2_048;
/** The first byte of a mapping in CBOR, which a COSE key is. */
const [FIRST_MAPPING, LAST_MAPPING] = [0xa0, 0xbf];

export interface AccountOptions {
  readonly now: Instant;
  /** Whether administrators stay administrators. */
  readonly withAdmins: boolean;
  /** Whether security keys were made for the host of this installation. Browsers use them there alone. */
  readonly isSameHost: boolean;
}

/** An account of the source. */
export interface PersonFound {
  readonly id: number;
  /** In small letters. */
  readonly email: string;
  readonly imported: Omit<ImportedAccount, 'addressForm'>;
  /** `checks`: how many checks its projects have. */
  declared(checks: number): DeclaredAccount;
}

interface Rows {
  readonly user: Row<'auth_user'>;
  readonly profile: Row<'accounts_profile'> | undefined;
  readonly keys: readonly Row<'accounts_credential'>[];
}

/** Reads all accounts. `refusals` gains those that are one account here. */
export async function readAccounts(
  source: HealthchecksSource,
  options: AccountOptions,
  remarks: RemarkList,
  refusals: string[],
): Promise<ReadonlyMap<number, PersonFound>> {
  const profiles = new Map<number | null, Row<'accounts_profile'>>();
  for await (const profile of source.rows('accounts_profile', everyColumn('accounts_profile')))
    profiles.set(profile.user_id, profile);
  const keys = new Map<number | null, Row<'accounts_credential'>[]>();
  for await (const key of source.rows('accounts_credential', everyColumn('accounts_credential')))
    keys.set(key.user_id, [...(keys.get(key.user_id) ?? []), key]);
  const people = new Map<number, PersonFound>();
  const spellings = new Map<string, string>();
  for await (const user of source.rows('auth_user', everyColumn('auth_user'))) {
    const email = user.email.trim().toLowerCase();
    const other = spellings.get(email);
    if (user.id === null || addressField.read(email, 'email') instanceof Fault) {
      const reason = 'its e-mail address is not valid';
      remarks.leaveOut({ what: 'account', name: user.email || user.username, reason });
    } else if (other !== undefined) {
      refusals.push(`the accounts ${other} and ${user.email} have the same address: unite them before`);
    } else {
      spellings.set(email, user.email);
      const rows = { user, profile: profiles.get(user.id), keys: keys.get(user.id) ?? [] };
      people.set(user.id, personOf(user.id, email, rows, options, remarks));
    }
  }
  return people;
}

function personOf(
  id: number,
  email: string,
  rows: Rows,
  options: AccountOptions,
  remarks: RemarkList,
): PersonFound {
  const { user, profile } = rows;
  const about: About = { entry: `account ${email}`, remarks };
  if (email !== user.email)
    remarks.change({
      entry: about.entry,
      field: 'email',
      was: user.email,
      became: email,
      reason: 'in small letters',
    });
  const isAdmin = options.withAdmins && user.is_superuser;
  if (isAdmin) changed(about, 'admin', 'superuser', 'administrator', 'with --no-admins they are not');
  const name = storableText(
    'name',
    `${user.first_name} ${user.last_name}`.trim(),
    TEXT_LIMITS.accountName,
    about,
  );
  const settings = profile === undefined ? {} : settingsOf(profile, about);
  return {
    id,
    email,
    imported: {
      createdAt: user.date_joined ?? options.now,
      isActive: user.is_active,
      passwordHash: passwordOf(user.password, email, remarks),
      ...secondFactors(email, rows, options, remarks),
    },
    declared: (checks) => ({
      line: 0,
      email,
      name,
      ...(isAdmin && { isAdmin: true }),
      ...settings,
      limits: limitsOf(profile, checks, about),
    }),
  };
}

function settingsOf(
  { tz, theme, reports, nag_period }: Row<'accounts_profile'>,
  about: About,
): Pick<DeclaredAccount, 'tz' | 'theme' | 'reports' | 'reminders'> {
  const period = REMINDER_PERIODS.find((one) => seconds(REMINDER_SECONDS[one]) === (nag_period ?? 0));
  if (period === undefined) changed(about, 'reminders', nag_period, 'off');
  const report = (['off', 'weekly', 'monthly'] as const).find((one) => one === reports);
  if (report === undefined) changed(about, 'reports', reports, 'monthly');
  return {
    tz: presentZone(tz, about),
    theme: THEMES.find((one) => one === theme) ?? 'system',
    reports: report ?? 'monthly',
    reminders: period ?? 'off',
  };
}

/** The name of the zone today. */
export function presentZone(tz: string, { entry, remarks }: About): string {
  const became = canonicalTimezone(tz);
  if (became !== null && became !== tz)
    remarks.change({ entry, field: 'tz', was: tz, became, reason: 'it is the name of the zone today' });
  if (became === null)
    remarks.change({ entry, field: 'tz', was: tz, became: 'UTC', reason: 'there is no such zone' });
  return became ?? 'UTC';
}

function limitsOf(profile: Row<'accounts_profile'> | undefined, checks: number, about: About): AccountLimits {
  const limit = (written: number | null | undefined, usual: number) =>
    Math.min(Math.max(written ?? usual, 0), MAX_LIMIT);
  const most = limit(profile?.check_limit, USUAL_LIMITS.checks);
  if (checks > most) changed(about, 'limits.checks', most, checks, 'it has so many checks');
  return { checks: Math.max(most, checks), pings: limit(profile?.ping_log_limit, USUAL_LIMITS.pings) };
}

function changed(
  { entry, remarks }: About,
  field: string,
  was: unknown,
  became: unknown,
  reason = 'the value is not known here',
): void {
  remarks.change({ entry, field, was, became, reason });
}

/** `!` stands before the text of somebody without a password. */
function passwordOf(hash: string, email: string, remarks: RemarkList): string | null {
  if (hash === '' || hash.startsWith('!')) return null;
  if (canCarryPassword(hash)) return hash;
  const [, form = 'of an unknown form'] = /^([a-z0-9_]{1,30})\$/.exec(hash) ?? [];
  remarks.leaveOut({
    what: 'password',
    name: email,
    reason: `a hash ${form} is not verified here, or takes too long`,
    hint: 'the person signs in by a mailed link and sets a new password',
  });
  return null;
}

function secondFactors(
  email: string,
  { profile, keys }: Rows,
  { isSameHost, now }: AccountOptions,
  remarks: RemarkList,
): Pick<ImportedAccount, 'totpSecret' | 'securityKeys'> {
  const totp = profile?.totp ?? '';
  const totpSecret = TOTP_SECRET.test(totp) ? totp : null;
  const leave = (what: string, name: string, reason: string, hint = 'add it again after signing in') =>
    remarks.leaveOut({ what, name, reason, hint });
  if (totp !== '' && totpSecret === null) leave('authenticator app', email, 'its secret cannot be read');
  const securityKeys = [];
  for (const { name, created, data } of keys) {
    const parts = keyParts(data);
    const label = `${email}: ${name}`;
    if (!isSameHost)
      leave('security key', label, 'browsers use it only at the host for which it was made', SAME_HOST);
    else if (parts === null) leave('security key', label, 'it cannot be read');
    else if (securityKeys.length >= MAX_PASSKEYS)
      leave('security key', label, `an account has at most ${MAX_PASSKEYS}`);
    else {
      const shown = storableText('name', name, TEXT_LIMITS.keyName, {
        entry: `security key ${label}`,
        remarks,
      });
      securityKeys.push({ name: shown, ...parts, createdAt: created ?? now });
    }
  }
  const hadOne = totp !== '' || keys.length > 0;
  if (hadOne && totpSecret === null && securityKeys.length === 0)
    remarks.leaveOut({
      what: 'second factor',
      name: email,
      reason: 'the account has none left: its password alone opens it',
      hint: 'ask the person to set up a second factor',
    });
  return { totpSecret, securityKeys };
}

function keyParts(data: Uint8Array): { readonly credentialId: string; readonly publicKey: string } | null {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  if (bytes.length < ID_AT) return null;
  const idLength = bytes.readUInt16BE(ID_LENGTH_AT);
  const [id, key] = [bytes.subarray(ID_AT, ID_AT + idLength), bytes.subarray(ID_AT + idLength)];
  const [first = 0] = key;
  const isKey = first >= FIRST_MAPPING && first <= LAST_MAPPING && key.length <= MAX_KEY_BYTES;
  if (id.length === 0 || id.length > MAX_ID_BYTES || !isKey) return null;
  return { credentialId: id.toString('base64url'), publicKey: key.toString('base64url') };
}
