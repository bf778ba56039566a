import { afterAttempt, LEASE_SPAN, type Outcome } from '../../domain/alert/delivery.ts';
import type { ClosedAccount, MailSubject, QueuedMail, SecurityEvent } from '../../domain/alert/mail.ts';
import type { Quota } from '../../domain/alert/message-quota.ts';
import { type MailPreferences, PLACEHOLDER_EMAIL } from '../../domain/people/account.ts';
import type { OpenInvitation } from '../../domain/people/invitation.ts';
import type { LinkPurpose } from '../../domain/people/link.ts';
import { linkFragment } from '../../domain/people/link-fragment.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { chance } from '../../lib/random.ts';
import { sha256 } from '../../lib/vault.ts';
import type { TransferNotice } from '../../wire/mail/transfer-mail.ts';
import { type ConfirmationMailData, readConfirmation } from '../alert/channel-confirmation.ts';
import { type ChannelTroubleData, readChannelTrouble } from '../alert/channel-trouble.ts';
import { readUndelivered, type UndeliveredData } from '../alert/undelivered.ts';
import { type AccountTurns, type Leased, leaseInTurn } from '../core/account-turns.ts';
import type { Deps } from '../core/deps.ts';
import { findInvitation } from '../people/invitation-token.ts';
import { type FlappingData, readFlapping } from './flapping.ts';
import { type ReminderData, readReminder } from './reminders.ts';
import { type MailReadingDeps, type ReportData, readReport } from './reports.ts';

/** About as long as flips are kept. */
const MAILS_KEPT = seconds(93 * 86_400);
/** Rows deleted in one transaction. It is kept short so that pings do not wait long. */
const MAX_AT_ONCE = 500;

/** The content of a mail to an account, read when it is sent. */
export type AccountMailData =
  | ReportData
  | ReminderData
  | FlappingData
  | ({ readonly kind: 'blindness' } & (MailSubject & { kind: 'blindness' })['parameters'])
  | TransferData
  | UndeliveredData
  | { readonly kind: 'signal_captcha'; readonly challenge: string }
  | { readonly kind: 'message_limit'; readonly quota: Quota; readonly limit: number }
  | { readonly kind: 'backup_failed'; readonly error: string }
  | ChannelTroubleData
  | ({ readonly kind: 'security' } & SecurityEvent);

/** A project that is offered to the account. */
export interface TransferData extends Omit<TransferNotice, 'site'> {
  readonly kind: 'transfer';
}

/** A link that works once, with its secret part. */
export interface LinkMailData {
  readonly kind: 'link';
  readonly purpose: LinkPurpose;
  readonly token: string;
  /** A code that stands for the link. Null if there is none. */
  readonly code: string | null;
}

/** An invitation to a project, with the secret part of its link. */
export interface InvitationMailData {
  readonly kind: 'invitation';
  readonly invitation: OpenInvitation;
  readonly token: string;
}

/** A leased mail with its recipient and its content. */
export type OpenedMail =
  | { readonly about: 'account'; readonly to: MailPreferences; readonly data: AccountMailData }
  /** `account` is whose address it is, if it has an account. */
  | {
      readonly about: 'link';
      readonly email: string;
      readonly account: Pick<MailPreferences, 'uuid'> | null;
      readonly data: LinkMailData;
    }
  | { readonly about: 'invitation'; readonly email: string; readonly data: InvitationMailData }
  | { readonly about: 'confirmation'; readonly email: string; readonly data: ConfirmationMailData }
  | { readonly about: 'closing'; readonly email: string; readonly data: ClosedAccount };

export async function nextMailAt({ store }: Pick<Deps, 'store'>): Promise<Instant | null> {
  return store.mails.nextAttemptAt();
}

/**
 * Leases due mails. No other node tries them until the lease ends. If this node dies, another one tries them after
 * that.
 */
export async function leaseMails(
  deps: Deps,
  accounts: AccountTurns,
  limit: number,
): Promise<Leased<QueuedMail>> {
  const now = deps.clock.now();
  return leaseInTurn(deps, accounts, { now, limit, outbox: (tx) => tx.mails }, (tx, turns) =>
    tx.mails.lease({ now, until: now + LEASE_SPAN, turns }),
  );
}

/** Extends the leases of attempts that are still running. */
export async function extendMailLeases(deps: Deps, mails: readonly QueuedMail[]): Promise<void> {
  const until = deps.clock.now() + LEASE_SPAN;
  await deps.store.transaction((tx) => tx.mails.extend(mails, until));
}

/** Ends the leases of an earlier process of the only node, so that its mails are tried at once. */
export async function releaseMailLeases(deps: Deps): Promise<number> {
  return deps.store.transaction((tx) => tx.mails.releaseAll());
}

/**
 * Reads the content of the mail as things are now. Returns null when there is nothing left to say, or nobody to send it
 * to. It yields between reads, so that other work can run.
 */
export async function* openMail(
  deps: MailReadingDeps & Pick<Deps, 'vault'>,
  { accountId, address, subject }: Pick<QueuedMail, 'accountId' | 'address' | 'subject'>,
): AsyncGenerator<void, OpenedMail | null> {
  const to = accountId === null ? null : await deps.store.mailPreferences.ofAccount(accountId);
  if (subject.kind === 'link') {
    const email = address ?? to?.email ?? null;
    const data = await readLink(deps, subject.parameters);
    return email === null || data === null ? null : { about: 'link', email, account: to, data };
  }
  if (subject.kind === 'invitation') {
    const data = await readInvitation(deps, subject.parameters);
    return address === null || data === null ? null : { about: 'invitation', email: address, data };
  }
  if (subject.kind === 'channel_confirmation') {
    const data = address === null ? null : await readConfirmation(deps, subject.parameters.channel, address);
    return address === null || data === null ? null : { about: 'confirmation', email: address, data };
  }
  if (subject.kind === 'account_closed') {
    const isNobody = address === null || address === PLACEHOLDER_EMAIL;
    return isNobody ? null : { about: 'closing', email: address, data: subject.parameters };
  }
  if (to === null || to.email === PLACEHOLDER_EMAIL) return null;
  // A person who was switched off is told nothing more about the projects of others.
  if ((await deps.store.accounts.byId(to.accountId))?.isActive !== true) return null;
  const data = yield* readData(deps, to, subject);
  return data && { about: 'account', to: address === null ? to : { ...to, email: address }, data };
}

/** A link that was used or has expired is not sent. Neither is one that was sealed under a secret that is gone. */
async function readLink(
  { store, vault, clock }: MailReadingDeps & Pick<Deps, 'vault'>,
  { purpose, sealed, sealedCode, sealedNext }: (MailSubject & { kind: 'link' })['parameters'],
): Promise<LinkMailData | null> {
  const token = vault.unseal(sealed);
  if (token === null) return null;
  const link = await store.links.find(sha256(token), purpose, clock.now());
  const code = sealedCode === undefined ? null : vault.unseal(sealedCode);
  const next = sealedNext === undefined ? null : vault.unseal(sealedNext);
  return link && { kind: 'link', purpose, token: linkFragment(token, next ?? '/'), code };
}

/** An invitation that is void is not sent. */
async function readInvitation(
  deps: MailReadingDeps & Pick<Deps, 'vault'>,
  { sealed }: (MailSubject & { kind: 'invitation' })['parameters'],
): Promise<InvitationMailData | null> {
  const token = deps.vault.unseal(sealed);
  const found = token === null ? null : await findInvitation(deps, deps.store, token);
  return token === null || found === null
    ? null
    : { kind: 'invitation', invitation: found.invitation, token };
}

async function* readData(
  deps: MailReadingDeps & Pick<Deps, 'vault'>,
  to: MailPreferences,
  subject: Exclude<MailSubject, { kind: 'link' | 'invitation' | 'channel_confirmation' | 'account_closed' }>,
): AsyncGenerator<void, AccountMailData | null> {
  switch (subject.kind) {
    case 'report':
      return yield* readReport(deps, to, subject.parameters);
    case 'reminder':
      return yield* readReminder(deps, to);
    case 'flapping':
      return readFlapping(deps, to, subject.parameters);
    case 'blindness':
      return { kind: 'blindness', ...subject.parameters };
    case 'transfer':
      return readTransfer(deps, to, subject.parameters);
    case 'undelivered':
      return readUndelivered(deps, to, subject.parameters);
    case 'signal_captcha':
      return { kind: 'signal_captcha', ...subject.parameters };
    case 'message_limit':
      return { kind: 'message_limit', ...subject.parameters };
    case 'backup_failed':
      return { kind: 'backup_failed', ...subject.parameters };
    case 'channel_trouble':
      return readChannelTrouble(deps, to, subject.parameters);
    case 'security':
      return { kind: 'security', ...subject.parameters };
    default:
      return subject satisfies never;
  }
}

/** Null when the offer has ended meanwhile. */
async function readTransfer(
  { store }: MailReadingDeps,
  { accountId }: MailPreferences,
  { projectId }: { readonly projectId: number },
): Promise<TransferData | null> {
  const transfer = await store.transfers.ofProject(projectId);
  if (transfer?.accountId !== accountId) return null;
  const project = await store.projects.byId(projectId);
  const owner = project && (await store.accounts.byId(project.ownerId));
  if (project === null || owner === null) return null;
  return { kind: 'transfer', project: { name: project.name }, owner: { email: owner.email } };
}

/** Records the result of an attempt, unless its lease has ended and another node may have taken it over. */
export async function settleMail(deps: Deps, mail: QueuedMail, outcome: Outcome): Promise<void> {
  const settled = afterAttempt(mail, outcome, deps.clock.now(), chance(deps.random));
  await deps.store.transaction((tx) => tx.mails.settle([settled]));
}

/** Ends a mail that has nothing left to say. */
export async function skipMail(deps: Deps, mail: QueuedMail): Promise<void> {
  const finishedAt = deps.clock.now();
  await deps.store.transaction((tx) =>
    tx.mails.settle([{ ...mail, state: 'skipped', nextAttemptAt: null, leasedUntilAt: null, finishedAt }]),
  );
}

/** Deletes a bounded number of mails that ended long ago. Returns whether there may be more. */
export async function pruneMails(deps: Pick<Deps, 'store' | 'clock'>): Promise<boolean> {
  const before = deps.clock.now() - MAILS_KEPT;
  const removed = await deps.store.transaction((tx) => tx.mails.prune(before, MAX_AT_ONCE));
  return removed === MAX_AT_ONCE;
}
