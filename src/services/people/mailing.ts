import { type NewMail, newMailTo, type SecurityEvent } from '../../domain/alert/mail.ts';
import type { Account } from '../../domain/people/account.ts';
import type { LinkPurpose } from '../../domain/people/link.ts';
import type { Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { type Client, seenFrom } from './client.ts';
import type { AccountDeps } from './deps.ts';

export interface MailedLink {
  readonly purpose: LinkPurpose;
  readonly token: string;
  /** A code that stands for the link, in the browser that has asked for it. */
  readonly code?: string | undefined;
  /** The path where the person goes on. */
  readonly next?: string | undefined;
}

/** Queues the mail with the link. A mail to nobody is queued like any other, and then not sent. */
export async function mailLink(
  { random, clock, vault }: Pick<Deps, 'random' | 'clock' | 'vault'>,
  tx: Writes,
  to: Pick<NewMail, 'accountId' | 'address'>,
  { purpose, token, code, next }: MailedLink,
): Promise<void> {
  const parameters = {
    purpose,
    sealed: vault.seal(token),
    ...(code !== undefined && { sealedCode: vault.seal(code) }),
    ...(next !== undefined && { sealedNext: vault.seal(next) }),
  };
  const subject = { kind: 'link' as const, parameters };
  await tx.mails.insertMany([newMailTo(to, subject, random.uuid(), clock.now())]);
}

/** Queues the mail about the end of the account, which is deleted in the same transaction. */
export async function mailClosing(
  { random, clock, settings }: AccountDeps,
  tx: Writes,
  { id, email }: Pick<Account, 'id' | 'email'>,
  remoteAddr: string | null,
): Promise<void> {
  const preferences = settings.hasMail ? await tx.mailPreferences.ofAccount(id) : null;
  if (preferences === null) return;
  const at = clock.now();
  const { tz: timeZone, language, dateFormat, clock: dayClock } = preferences;
  const dates = { language, dateFormat, clock: dayClock };
  const subject = { kind: 'account_closed' as const, parameters: { at, remoteAddr, timeZone, dates } };
  await tx.mails.insertMany([newMailTo({ accountId: null, address: email }, subject, random.uuid(), at)]);
}

/** Queues a mail about something that happened to the account, if the service can send mail. */
export async function mailSecurity(
  deps: AccountDeps,
  tx: Writes,
  account: Pick<Account, 'id'>,
  what: SecurityEvent['what'],
  client: Client,
  address: string | null = null,
): Promise<void> {
  await queueSecurity(deps, tx, account, { what, ...seenFrom(client) }, address);
}

/** Mails about an act of an operator or an administrator. It contains nothing about the browser of somebody else. */
export async function mailReset(
  deps: AccountDeps,
  tx: Writes,
  account: Pick<Account, 'id'>,
  what: SecurityEvent['what'],
): Promise<void> {
  await queueSecurity(deps, tx, account, { what, remoteAddr: null, userAgent: '' }, null);
}

async function queueSecurity(
  { random, clock, settings }: AccountDeps,
  tx: Writes,
  { id }: Pick<Account, 'id'>,
  event: Omit<SecurityEvent, 'at'>,
  address: string | null,
): Promise<void> {
  if (!settings.hasMail) return;
  const at = clock.now();
  const subject = { kind: 'security' as const, parameters: { ...event, at } };
  await tx.mails.insertMany([newMailTo({ accountId: id, address }, subject, random.uuid(), at)]);
}
