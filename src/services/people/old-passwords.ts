import { type PasswordCost, passwordAmount, passwordForm, readHash } from '../../lib/password.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

/**
 * The row of `instance` with the costliest hash of each form that other programs made. Every wrong password takes the
 * work of these, so that nobody learns by its duration who came from another program, or has an account.
 */
const ROW = 'old_password_costs';

export async function oldPasswordCosts({ instance }: Pick<Reads, 'instance'>): Promise<PasswordCost[]> {
  return costsIn(await instance.get(ROW));
}

/** Gives an account the hash of another program, which is replaced when the password is used. */
export async function importPassword(tx: Writes, accountId: number, hash: string): Promise<void> {
  const stored = readHash(hash);
  if (stored === null || stored.isOwn) throw new Error('this hash is of no form that can be imported');
  await tx.accounts.setPassword(accountId, hash);
  await tx.instance.setOnce(ROW, '[]');
  const costs = costsIn(await tx.instance.lock(ROW));
  const rival = costs.find((cost) => passwordForm(cost) === passwordForm(stored.cost));
  if (rival !== undefined && passwordAmount(rival) >= passwordAmount(stored.cost)) return;
  const others = costs.filter((cost) => cost !== rival);
  await tx.instance.set(ROW, JSON.stringify([...others, stored.cost]));
}

/** Leaves out forms that no account has any longer. The row stays, since others may wait for its lock. */
export async function forgetOldPasswords({ store }: Pick<Deps, 'store'>): Promise<void> {
  if ((await oldPasswordCosts(store)).length === 0) return;
  await store.transaction(async (tx) => {
    const costs = costsIn(await tx.instance.lock(ROW));
    const left: PasswordCost[] = [];
    for (const cost of costs) if (await tx.accounts.hasPasswordForm(passwordForm(cost))) left.push(cost);
    if (left.length < costs.length) await tx.instance.set(ROW, JSON.stringify(left));
  });
}

function costsIn(value: string | null): PasswordCost[] {
  // Only this file writes the row.
  return value === null ? [] : (JSON.parse(value) as PasswordCost[]);
}
