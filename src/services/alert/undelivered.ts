import { newMail, type Undelivered } from '../../domain/alert/mail.ts';
import {
  accountLimit,
  type CounterName,
  counterOf,
  currentCount,
  type MessageLimits,
  maskedRecipient,
  type Quota,
  type QuotaRefusal,
  refused,
  type Usage,
  type Use,
  unused,
  use,
} from '../../domain/alert/message-quota.ts';
import type { MailPreferences } from '../../domain/people/account.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { Writes } from '../../storage/store.ts';
import type { UndeliveredNotice } from '../../wire/mail/undelivered-mail.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';

/** A message that was not delivered, for people. */
export interface LostMessage {
  readonly recipient: string;
  readonly text: string;
}

/**
 * Counts a message for the owner of the project, and for all accounts together. If nothing is left this month, it
 * returns which limit was reached. Then the owner and the members get a mail, at most once a day. Administrators get
 * one when nothing is left for all.
 */
export async function takeQuota(
  deps: Deps,
  projectId: number,
  quota: Quota,
  limits: MessageLimits,
  message: LostMessage,
): Promise<QuotaRefusal | null> {
  const now = deps.clock.now();
  const counter = counterOf(quota);
  return deps.store.transaction(async (tx) => {
    const owner = await tx.accounts.ownerOf(projectId);
    if (owner === null) return 'account';
    const fresh = currentCount(null, now);
    const limit = accountLimit(limits, counter, owner, now);
    const stored = await tx.messageCounts.lock(owner.id, counter, fresh);
    const own = use(stored, limit, now);
    // Accounts are always locked first.
    const all = own.isAllowed
      ? use(await tx.messageCounts.lockInstance(counter, fresh), limits.instance[counter], now)
      : null;
    const refusal = refusalOf(own, all);
    const { count, isTold } = refusal === 'instance' ? refused(stored, now) : own;
    await tx.messageCounts.save(owner.id, counter, count);
    if (all !== null) await tx.messageCounts.saveInstance(counter, all.count);
    if (refusal !== null && isTold) {
      const why = { kind: 'quota', quota, of: refusal, limit } as const;
      await tellTeam(deps, tx, undelivered(projectId, message, why), now);
    }
    if (all?.isTold) await tellAdministrators(deps, tx, quota, limits.instance[counter], now);
    return refusal;
  });
}

function refusalOf(own: Use, all: Use | null): QuotaRefusal | null {
  if (!own.isAllowed) return 'account';
  return all?.isAllowed === false ? 'instance' : null;
}

/** Takes back what `takeQuota` has counted for a message that was not sent after all. */
export async function returnQuota(deps: Deps, projectId: number, quota: Quota): Promise<void> {
  const now = deps.clock.now();
  const counter = counterOf(quota);
  const fresh = currentCount(null, now);
  await deps.store.transaction(async (tx) => {
    const project = await tx.projects.byId(projectId);
    if (project !== null) {
      const stored = await tx.messageCounts.lock(project.ownerId, counter, fresh);
      await tx.messageCounts.save(project.ownerId, counter, unused(stored, now));
    }
    await tx.messageCounts.saveInstance(
      counter,
      unused(await tx.messageCounts.lockInstance(counter, fresh), now),
    );
  });
}

/** The use of the project's owner in this month, over all their projects. */
export async function readUsage(
  { store, clock }: Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> },
  actor: Actor,
  limits: MessageLimits,
): Promise<Usage> {
  requirePermission(actor, 'channels.view');
  const owner = await store.accounts.ownerOf(actor.projectId);
  const counts = owner === null ? [] : await store.messageCounts.ofAccount(owner.id);
  const now = clock.now();
  const usageOf = (name: CounterName) => {
    const stored = counts.find(({ counter }) => counter === name) ?? null;
    const limit = owner === null ? 0 : accountLimit(limits, name, owner, now);
    return { used: currentCount(stored, now).used, limit };
  };
  return { sms: usageOf('sms'), calls: usageOf('calls') };
}

/** Administrators get a mail about a captcha at most once in this time. */
const CAPTCHA_TOLD_EVERY = seconds(3600);

/** Tells the administrators of the captcha, and the owner of the project which message was not delivered. */
export async function askForCaptcha(
  deps: Deps,
  projectId: number,
  challenge: string,
  message: LostMessage,
): Promise<void> {
  const now = deps.clock.now();
  await deps.store.transaction(async (tx) => {
    const project = await tx.projects.byId(projectId);
    if (project === null) return;
    const parameters = undelivered(projectId, message, { kind: 'captcha' });
    const mail = newMail(project.ownerId, { kind: 'undelivered', parameters }, deps.random.uuid(), now);
    await tx.mails.insertMany([mail]);
    for (const accountId of await tx.accounts.lockAdmins()) {
      if (await tx.mails.hasOpen(accountId, 'signal_captcha')) continue;
      const lastAt = await tx.mails.lastSentAt(accountId, 'signal_captcha');
      if (lastAt !== null && now - lastAt < CAPTCHA_TOLD_EVERY) continue;
      const subject = { kind: 'signal_captcha', parameters: { challenge } } as const;
      await tx.mails.insertMany([newMail(accountId, subject, deps.random.uuid(), now)]);
    }
  });
}

function undelivered(
  projectId: number,
  { recipient, text }: LostMessage,
  why: Undelivered['why'],
): Undelivered {
  return { projectId, why, recipient: maskedRecipient(recipient), text };
}

async function tellTeam(
  { random }: Pick<Deps, 'random'>,
  tx: Writes,
  parameters: Undelivered,
  now: Instant,
): Promise<void> {
  const team = await tx.projects.teamOf(parameters.projectId);
  await tx.mails.insertMany(
    team.map(({ accountId }) => newMail(accountId, { kind: 'undelivered', parameters }, random.uuid(), now)),
  );
}

async function tellAdministrators(
  { random }: Pick<Deps, 'random'>,
  tx: Writes,
  quota: Quota,
  limit: number,
  now: Instant,
): Promise<void> {
  const subject = { kind: 'message_limit', parameters: { quota, limit } } as const;
  const administrators = await tx.accounts.lockAdmins();
  await tx.mails.insertMany(administrators.map((id) => newMail(id, subject, random.uuid(), now)));
}

export interface UndeliveredData extends Omit<UndeliveredNotice, 'site'> {
  readonly kind: 'undelivered';
}

/** Null when the project is deleted, or when the account has no access to it any more. */
export async function readUndelivered(
  { store }: Pick<Deps, 'store'>,
  { accountId }: Pick<MailPreferences, 'accountId'>,
  { projectId, ...message }: Undelivered,
): Promise<UndeliveredData | null> {
  const project = await store.projects.byId(projectId);
  const owner = project && (await store.accounts.byId(project.ownerId));
  if (project === null || owner === null || (await store.projects.roleOf(projectId, accountId)) === null) {
    return null;
  }
  return {
    kind: 'undelivered',
    ...message,
    project: { name: project.name },
    owner: { email: owner.email },
  };
}
