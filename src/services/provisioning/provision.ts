import { isDeepStrictEqual } from 'node:util';
import type { Overwriter } from '../../domain/check/sources.ts';
import {
  type Account,
  type AccountLimits,
  REMINDER_PERIODS,
  REMINDER_SECONDS,
  type ReminderPeriod,
  type ReminderSeconds,
} from '../../domain/people/account.ts';
import { differences } from '../../domain/people/audit.ts';
import type { Project } from '../../domain/people/project.ts';
import { hashPassword, isPassword } from '../../lib/password.ts';
import type { Reads, Store, Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { accountSubject } from '../people/account-actor.ts';
import { setReminders } from '../people/mail-preferences.ts';
import { endAllAccess } from '../people/sessions.ts';
import { PROVISIONING_FILE, type ProvisionDeps } from './acts.ts';
import { applyChecks, lockPlanned, remindOfArrived } from './checks.ts';
import {
  type Change,
  created,
  type Declaration,
  type DeclaredAccount,
  type DeclaredProject,
  type DeclaredToken,
  type FieldChange,
  ProvisionError,
  released,
  updated,
} from './declaration.ts';
import { applyEntriesOf } from './entries.ts';
import { changedFields, TOKENS } from './kinds.ts';
import { applyAfterChecks, applyProject } from './project.ts';
import { pruned, type Removal, removeAll } from './prune.ts';
import type { Source } from './source.ts';

export interface ProvisionOptions {
  /** Whether there is no other file of this source. Then projects that an earlier one has declared are people's own again. */
  readonly isWhole?: boolean;
  /** Applies everything and takes it back. */
  readonly isDryRun?: boolean;
  /** Whether entries of other sources become entries of this one. */
  readonly takesOver?: boolean;
  /** Who sets fields of checks, and leaves which alone. Absent: a file, which leaves none. */
  readonly writer?: Overwriter;
  /** Removes what the source has made and names no longer, but no more entries than `most`. Null: than the usual number. */
  readonly prune?: { readonly most: number | null };
}

/**
 * Applies the declared entries in one transaction and returns the changes. Entries that the file does not name are left
 * alone, unless it prunes. Applying the file again changes nothing. When several nodes start together, one applies the file,
 * and the others find nothing to change: every decision is made from rows that were read after the lock.
 */
export async function provision(
  deps: Deps,
  declaration: Declaration,
  options: ProvisionOptions = {},
): Promise<Change[]> {
  // Somebody has named the wrong files.
  const { accounts, projects, tokens = [] } = declaration;
  if (options.prune !== undefined && accounts.length + projects.length + tokens.length === 0)
    throw new ProvisionError(1, 'nothing is declared here, so nothing is removed');
  for (;;) {
    const passwords = await choosePasswords(deps, declaration.accounts);
    const apply = (tx: Writes) =>
      applyAll({ ...deps, by: PROVISIONING_FILE }, tx, declaration, passwords, options);
    const applied = await (options.isDryRun
      ? rolledBack(deps.store, apply)
      : deps.store.transaction(apply, { fillsTables: true }));
    if (applied === null) continue;
    const { changes, removals } = applied;
    if (!options.isDryRun) await removeAll(deps, removals);
    return [...changes, ...removals.map(({ change }) => change)];
  }
}

/** Does the work in a transaction that is taken back. */
export async function rolledBack<T>(store: Store, work: (tx: Writes) => Promise<T>): Promise<T> {
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
      { sharesCommit: false, fillsTables: true },
    );
  } catch (error) {
    if (error instanceof TakenBack) return error.result;
    throw error;
  }
}

/** Returns null and changes nothing when somebody has set a password since the passwords were compared. */
async function applyAll(
  deps: ProvisionDeps,
  tx: Writes,
  declaration: Declaration,
  passwords: ReadonlyMap<string, PasswordChoice>,
  { isWhole = false, takesOver = false, writer = { by: 'file' }, prune }: ProvisionOptions,
): Promise<{ readonly changes: readonly Change[]; readonly removals: readonly Removal[] } | null> {
  await tx.declarations.lock();
  for (const [email, { stored }] of passwords) {
    if ((await storedPassword(tx, email)) !== stored) return null;
  }
  const source: Source = { name: declaration.source, takesOver, claims: true, writer };
  const { changes, found } = await applyEntries(deps, tx, source, declaration, passwords);
  if (isWhole) changes.push(...(await releaseOthers(tx, source, found)));
  const { removals, releases } =
    prune === undefined
      ? { removals: [], releases: [] }
      : await pruned(tx, source, found, declaration.tokens ?? [], prune.most);
  return { changes: [...changes, ...releases], removals };
}

interface AppliedEntries {
  readonly changes: Change[];
  readonly found: readonly { readonly project: Project; readonly declared: DeclaredProject }[];
}

/** Applies the declared entries in a transaction that holds the lock of declarations. */
export async function applyEntries(
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  { accounts, projects, tokens = [] }: Declaration,
  passwords: ReadonlyMap<string, PasswordChoice> = new Map(),
): Promise<AppliedEntries> {
  const changes: Change[] = [];
  for (const account of accounts) {
    changes.push(...(await applyAccount(deps, tx, account, passwords.get(account.email)?.hash ?? null)));
  }
  const applied: AppliedProject[] = [];
  for (const declared of projects)
    applied.push({ declared, ...(await applyProject(deps, tx, source, declared)) });
  const held = await lockPlanned(
    tx,
    applied.map(({ plan }) => plan),
  );
  for (const { changes: own, plan, declared } of applied)
    changes.push(
      ...own,
      ...(await applyChecks(deps, tx, plan, held)),
      ...(await applyAfterChecks(deps, tx, source, plan.project, declared)),
    );
  changes.push(...(await applyTokens(deps, tx, source, tokens)));
  for (const { plan } of applied) await remindOfArrived(deps, tx, plan);
  return { changes, found: applied.map(({ plan, declared }) => ({ project: plan.project, declared })) };
}

async function applyTokens(
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  tokens: readonly DeclaredToken[],
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const [email, declared] of Map.groupBy(tokens, ({ account }) => account)) {
    const account = await tx.accounts.byEmail(email);
    if (account === null) throw new ProvisionError(declared[0]?.line ?? 1, `there is no account ${email}`);
    const owner = { id: account.id, name: email, projectId: null };
    changes.push(...(await applyEntriesOf(TOKENS, deps, tx, source, owner, declared)));
  }
  return changes;
}

interface AppliedProject extends Awaited<ReturnType<typeof applyProject>> {
  readonly declared: DeclaredProject;
}

/** Projects that the source declares no longer are people's own. */
async function releaseOthers(
  tx: Writes,
  { name }: Source,
  found: readonly { readonly project: Project }[],
): Promise<Change[]> {
  const ids = new Set(found.map(({ project }) => project.id));
  const others = (await tx.declarations.projectsOf(name)).filter(({ id }) => !ids.has(id));
  for (const { id } of others) await tx.declarations.release('project', id);
  return others.map(({ projectName }) => released('project', projectName));
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
  deps: ProvisionDeps,
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
      ...profileOf(declared),
      createdAt,
      addressProvedAt: createdAt,
      ...declared.given,
    });
    await applyMailPreferences(deps, tx, account.id, declared);
    const subject = accountSubject(account);
    await recordAct(deps, tx, deps.by, { action: 'account.created', subject });
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
  fields.push(...(await applyProfile(tx, existing, declared)));
  fields.push(...(await applyMailPreferences(deps, tx, existing.id, declared)));
  await recordEdit(deps, tx, existing, limits, fields);
  return updated('account', declared.email, fields, declared);
}

/** The declared fields that make up the person's profile. */
function profileOf({
  name,
  isAdmin,
  theme,
}: DeclaredAccount): Partial<Pick<Account, 'name' | 'isAdmin' | 'theme'>> {
  return {
    ...(name !== undefined && { name }),
    ...(isAdmin !== undefined && { isAdmin }),
    ...(theme !== undefined && { theme }),
  };
}

async function applyProfile(tx: Writes, { id }: Account, declared: DeclaredAccount): Promise<FieldChange[]> {
  const profile = profileOf(declared);
  if (Object.keys(profile).length === 0) return [];
  // Somebody who is no administrator any more leaves another one.
  if (profile.isAdmin === false) await requireOtherAdmin(tx, id, declared);
  const before = await tx.accounts.lock(id);
  if (before === null) throw new ProvisionError(declared.line, `there is no account ${declared.email}`);
  const after = { ...before, ...profile };
  const fields = (['name', 'isAdmin', 'theme'] as const)
    .filter((name) => after[name] !== before[name])
    .map((name) => ({ name: name === 'isAdmin' ? 'admin' : name, was: before[name], became: after[name] }));
  if (fields.length > 0) await tx.accounts.save(after);
  return fields;
}

async function requireOtherAdmin(tx: Writes, id: number, { line, email }: DeclaredAccount): Promise<void> {
  const admins = await tx.accounts.lockAdmins();
  if (admins.includes(id) && admins.length === 1)
    throw new ProvisionError(line, `${email} is the only administrator`);
}

/** The log tells only that a password was changed. */
async function recordEdit(
  deps: ProvisionDeps,
  tx: Writes,
  account: Account,
  limits: AccountLimits,
  changed: readonly FieldChange[],
): Promise<void> {
  if (changed.length === 0) return;
  const fields = changed.map(({ name }) => name);
  const details = { fields, ...differences({ ...account.limits }, { ...limits }) };
  await recordAct(deps, tx, deps.by, {
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
  const {
    language = before.language,
    dateFormat = before.dateFormat,
    clock: clockFormat = before.clock,
  } = declared;
  const style = { language, dateFormat, clock: clockFormat };
  const styled = changedFields({ ...before }, style);
  if (styled.length > 0) await tx.mailPreferences.setDateStyle(accountId, style);
  fields.push(...styled);
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
