import { isDeepStrictEqual } from 'node:util';
import { REMINDER_SECONDS } from '../../domain/account.ts';
import { hashPassword, isPassword } from '../../lib/password.ts';
import type { Writes } from '../../storage/store.ts';
import type { Deps } from '../deps.ts';
import { setReminders } from '../reminders.ts';
import { type Change, created, type Declaration, type DeclaredAccount, updated } from './declaration.ts';
import { applyProject } from './project.ts';

/**
 * Makes the declared entries so, in one transaction, and says what changed. What the file does not name
 * is left alone; applying it again changes nothing.
 */
export async function provision(deps: Deps, declaration: Declaration): Promise<Change[]> {
  const passwords = await changedPasswords(deps, declaration.accounts);
  return deps.store.transaction(async (tx) => {
    const changes: Change[] = [];
    for (const account of declaration.accounts) {
      changes.push(...(await applyAccount(deps, tx, account, passwords.get(account.email))));
    }
    for (const project of declaration.projects) changes.push(...(await applyProject(deps, tx, project)));
    return changes;
  });
}

/** Hashing takes its time on purpose, so it is done before the transaction. */
async function changedPasswords(
  deps: Deps,
  accounts: readonly DeclaredAccount[],
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const { email, password } of accounts) {
    if (password === undefined) continue;
    const stored = (await deps.store.accounts.byEmail(email))?.passwordHash ?? null;
    if (stored !== null && (await isPassword(password, stored))) continue;
    hashes.set(email, await hashPassword(password, deps.random));
  }
  return hashes;
}

async function applyAccount(
  deps: Deps,
  tx: Writes,
  declared: DeclaredAccount,
  passwordHash: string | undefined,
): Promise<Change[]> {
  const existing = await tx.accounts.byEmail(declared.email);
  if (existing === null) {
    const { id } = await tx.accounts.insert({
      uuid: deps.random.uuid(),
      email: declared.email,
      passwordHash: passwordHash ?? null,
      limits: { ...deps.defaultLimits, ...declared.limits },
      createdAt: deps.clock.now(),
    });
    await applyCorrespondence(deps, tx, id, declared);
    return [created('account', declared.email)];
  }
  const fields: string[] = [];
  if (passwordHash !== undefined) {
    await tx.accounts.setPassword(existing.id, passwordHash);
    fields.push('password');
  }
  const limits = { ...existing.limits, ...declared.limits };
  if (!isDeepStrictEqual(limits, existing.limits)) {
    await tx.accounts.setLimits(existing.id, limits);
    fields.push('limits');
  }
  fields.push(...(await applyCorrespondence(deps, tx, existing.id, declared)));
  return updated('account', declared.email, fields);
}

async function applyCorrespondence(
  { clock }: Deps,
  tx: Writes,
  accountId: number,
  declared: DeclaredAccount,
): Promise<string[]> {
  const before = await tx.correspondence.ofAccount(accountId);
  if (before === null) return [];
  const { tz = before.tz, reports = before.reports } = declared;
  const reminderSeconds =
    declared.reminders === undefined ? before.reminderSeconds : REMINDER_SECONDS[declared.reminders];
  const fields: string[] = [];
  if (tz !== before.tz) fields.push('tz');
  if (reports !== before.reports) fields.push('reports');
  // Either moves the date of the next report.
  if (fields.length > 0) await tx.correspondence.setReports(accountId, reports, tz);
  if (reminderSeconds !== before.reminderSeconds) {
    await setReminders(tx, accountId, reminderSeconds, clock.now());
    fields.push('reminders');
  }
  return fields;
}
