import type { DeclaredAccount } from '../../provisioning/declaration.ts';
import { type PlannedEntry, type Planning, staysDeleted } from './planning.ts';

export interface PlannedAccount extends PlannedEntry {
  readonly declared: DeclaredAccount;
}

export async function planAccounts(planning: Planning): Promise<PlannedAccount[]> {
  const planned: PlannedAccount[] = [];
  for (const account of planning.source.declaration.accounts)
    planned.push(...(await planAccount(planning, account)));
  return planned;
}

/** An account that exists keeps all of its own. */
async function planAccount(planning: Planning, declared: DeclaredAccount): Promise<PlannedAccount[]> {
  const { tx, source, earlier, now, kept } = planning;
  const { email } = declared;
  const label = `account ${email}`;
  const known = earlier.find('account', email);
  if (staysDeleted(planning, known, label)) return [];
  if (isIdle(planning, email)) return [];
  const exists = (await tx.accounts.byEmail(earlier.emailOf(email))) !== null;
  if (exists && known === undefined) kept.push({ entry: label, field: null, reason: 'exists here' });
  if (exists && known !== undefined) return [];
  const { createdAt = now, isActive = true } = source.accounts.get(email) ?? {};
  const given = { createdAt, isActive };
  return [{ entry: email, isNew: !exists, fields: {}, isNoted: true, declared: { ...declared, given } }];
}

/** Whether nothing is known of the account but that it would own projects, and all of them have owners here. */
function isIdle({ source: { accounts, declaration }, earlier }: Planning, email: string): boolean {
  const own = declaration.projects.filter(({ owner }) => owner === email);
  const hasOwner = (uuid = '') => (earlier.find('project', uuid)?.home ?? null) !== null;
  return !accounts.has(email) && own.length > 0 && own.every(({ uuid }) => hasOwner(uuid));
}
