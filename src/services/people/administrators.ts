import { AppError } from '../../domain/errors.ts';
import type { AccountCaller } from '../../domain/people/permission.ts';
import type { Writes } from '../../storage/store.ts';

/** The last active administrator stays, unless the operator of the machine says otherwise. All are locked. */
export async function requireOtherAdmin(tx: Writes, caller: AccountCaller, id: number): Promise<void> {
  if (caller.kind === 'operator') return;
  const admins = await tx.accounts.lockAdmins();
  if (admins.includes(id) && admins.length === 1) throw new AppError('last_administrator');
}
