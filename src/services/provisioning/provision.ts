import { isDeepStrictEqual } from 'node:util';
import {
  type Account,
  type AccountLimits,
  REMINDER_PERIODS,
  REMINDER_SECONDS,
  type ReminderPeriod,
  type ReminderSeconds,
} from '../../domain/people/account.ts';
import { differences } from '../../domain/people/audit.ts';
import { hashPassword, isPassword } from '../../lib/password.ts';
import type { Reads, Store, Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { accountSubject } from '../people/account-actor.ts';
import { setReminders } from '../people/mail-preferences.ts';
import { endAllAccess } from '../people/sessions.ts';
import { PROVISIONING_FILE } from './acts.ts';
import { applyChecks, lockPlanned, remindOfArrived } from './checks.ts';
import {
  type Change,
  created,
  type Declaration,
  type DeclaredAccount,
  type FieldChange,
  released,
  updated,
} from './declaration.ts';
import { applyProject } from './project.ts';

/**
 * Applies the declared entries in one transaction and returns the changes. Entries that the file does not name are left
 * alone. With `isWhole` there is no other file: projects that an earlier one has declared are people's own again.
 * Applying the file again changes nothing. When several nodes start together, one applies the file, and the others find
 * nothing to change: every decision is made from rows that were read after the lock.
 */
export async function provision(
  deps: Deps,
  declaration: Declaration,
  { isWhole = false, isDryRun = false }: ProvisionOptions = {},
): Promise<Change[]> {
  for (;;) {
    const passwords = await choosePasswords(deps, declaration.accounts);
    const apply = async (tx: Writes) => {
      const applied = await applyAll(deps, tx, declaration, passwords);
      if (applied === null) return null;
      const freed = isWhole ? await tx.declarations.release(applied.ids) : [];
      return [...applied.changes, ...freed.map(released)];
    };
    const changes = await (isDryRun ? rolledBack(deps.store, apply) : deps.store.transaction(apply));
    if (changes !== null) return changes;
  }
}

export interface ProvisionOptions {
  readonly isWhole?: boolean;
  /** Applies everything and takes it back. */
  readonly isDryRun?: boolean;
}

/** Does the work in a transaction that is taken back. */
async function rolledBack<T>(store: Store, work: (tx: Writes) => Promise<T>): Promise<T> {
  class TakenBack extends Error {
    readonly result: T;
    constructor(result: T) {
      super('taken back');
      this.result = result;
    }
  }
  try {
    return await store.transaction(
      async (tx) => {
        throw new TakenBack(await work(tx));
      },
      { sharesCommit: false },
    );
  } catch (error) {
    if (error instanceof TakenBack) return error.result;
    throw error;
  }
}

/** Returns null and changes nothing when somebody has set a password since the passwords were compared. */
async function applyAll(
  deps: Deps,
  tx: Writes,
  { accounts, projects }: Declaration,
  passwords: ReadonlyMap<string, PasswordChoice>,
): Promise<{ readonly changes: Change[]; readonly ids: readonly number[] } | null> {
  await tx.declarations.lock();
  for (const [email, { stored }] of passwords) {
    if ((await storedPassword(tx, email)) !== stored) return null;
  }
  const changes: Change[] = [];
  for (const account of accounts) {
    changes.push(...(await applyAccount(deps, tx, account, passwords.get(account.email)?.hash ?? null)));
  }
  const applied: Awaited<ReturnType<typeof applyProject>>[] = [];
  for (const project of projects) applied.push(await applyProject(deps, tx, project));
  const held = await lockPlanned(
    tx,
    applied.map(({ plan }) => plan),
  );
  for (const { changes: own, plan } of applied)
    changes.push(...own, ...(await applyChecks(deps, tx, plan, held)));
  for (const { plan } of applied) await remindOfArrived(deps, tx, plan);
  return { changes, ids: applied.map(({ plan }) => plan.project.id) };
}

/** The decision about a password, and the stored hash on which it was based. */
interface PasswordChoice {
  readonly stored: string | null;
  /** The new hash; null keeps the stored one. */
  readonly hash: string | null;
}

/** Hashing is slow on purpose, so it is done before the transaction. */
async function choosePasswords(
  deps: Deps,
  accounts: readonly DeclaredAccount[],
): Promise<Map<string, PasswordChoice>> {
  const choices = new Map<string, PasswordChoice>();
  for (const { email, password } of accounts) {
    if (password === undefined) continue;
    const stored = await storedPassword(deps.store, email);
    const isSame = stored !== null && (await isPassword(password, stored));
    choices.set(email, { stored, hash: isSame ? null : await hashPassword(password, deps.random) });
  }
  return choices;
}

async function storedPassword({ accounts }: Pick<Reads, 'accounts'>, email: string): Promise<string | null> {
  return (await accounts.byEmail(email))?.passwordHash ?? null;
}

async function applyAccount(
  deps: Deps,
  tx: Writes,
  declared: DeclaredAccount,
  passwordHash: string | null,
): Promise<Change[]> {
  const existing = await tx.accounts.byEmail(declared.email);
  if (existing === null) {
    const createdAt = deps.clock.now();
    const account = await tx.accounts.insert({
      uuid: deps.random.uuid(),
      email: declared.email,
      passwordHash,
      limits: { ...deps.defaultLimits, ...declared.limits },
      createdAt,
      addressProvedAt: createdAt,
    });
    await applyMailPreferences(deps, tx, account.id, declared);
    const subject = accountSubject(account);
    await recordAct(deps, tx, PROVISIONING_FILE, { action: 'account.created', subject });
    return [created('account', declared.email)];
  }
  const fields: FieldChange[] = [];
  if (passwordHash !== null) {
    await tx.accounts.setPassword(existing.id, passwordHash);
    await endAllAccess(tx, existing);
    await tx.links.removeOfAccount(existing.id);
    fields.push({ name: 'password' });
  }
  const limits = { ...existing.limits, ...declared.limits };
  if (!isDeepStrictEqual(limits, existing.limits)) {
    await tx.accounts.setLimits(existing.id, limits);
    fields.push({ name: 'limits', was: existing.limits, became: limits });
  }
  fields.push(...(await applyMailPreferences(deps, tx, existing.id, declared)));
  await recordEdit(deps, tx, existing, limits, fields);
  return updated('account', declared.email, fields);
}

/** The log tells only that a password was changed. */
async function recordEdit(
  deps: Deps,
  tx: Writes,
  account: Account,
  limits: AccountLimits,
  changed: readonly FieldChange[],
): Promise<void> {
  if (changed.length === 0) return;
  const fields = changed.map(({ name }) => name);
  const details = { fields, ...differences({ ...account.limits }, { ...limits }) };
  await recordAct(deps, tx, PROVISIONING_FILE, {
    action: 'account.edited',
    subject: accountSubject(account),
    details,
  });
}

async function applyMailPreferences(
  { clock }: Deps,
  tx: Writes,
  accountId: number,
  declared: DeclaredAccount,
): Promise<FieldChange[]> {
  const before = await tx.mailPreferences.ofAccount(accountId);
  if (before === null) return [];
  const { tz = before.tz, reports = before.reports } = declared;
  const reminderSeconds =
    declared.reminders === undefined ? before.reminderSeconds : REMINDER_SECONDS[declared.reminders];
  const fields: FieldChange[] = [];
  if (tz !== before.tz) fields.push({ name: 'tz', was: before.tz, became: tz });
  if (reports !== before.reports) fields.push({ name: 'reports', was: before.reports, became: reports });
  // Both fields change the date of the next report.
  if (fields.length > 0) await tx.mailPreferences.setReports(accountId, reports, tz);
  if (reminderSeconds !== before.reminderSeconds) {
    await setReminders(tx, accountId, reminderSeconds, clock.now());
    fields.push({
      name: 'reminders',
      was: reminderPeriod(before.reminderSeconds),
      became: declared.reminders,
    });
  }
  return fields;
}

function reminderPeriod(seconds: ReminderSeconds): ReminderPeriod | undefined {
  return REMINDER_PERIODS.find((period) => REMINDER_SECONDS[period] === seconds);
}
