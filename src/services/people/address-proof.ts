import type { Account } from '../../domain/people/account.ts';
import type { Reads } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

/** Facts about the installation. */
const WITHOUT_MAIL = 'without_mail';
const PROVED_SINCE = 'addresses_proved_since';

/**
 * Notes at the start whether the service sends mail. While it does not, people take unproved addresses. Once it does,
 * older accounts may belong to people who took an address of somebody else.
 */
export async function noteMail(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  hasMail: boolean,
): Promise<void> {
  const wasWithout = (await store.instance.get(WITHOUT_MAIL)) !== null;
  if (wasWithout !== hasMail) return;
  await store.transaction(async (tx) => {
    if (!hasMail) {
      await tx.instance.setOnce(WITHOUT_MAIL, 'yes');
      return;
    }
    await tx.instance.set(PROVED_SINCE, String(clock.now()));
    await tx.instance.delete(WITHOUT_MAIL);
  });
}

/** Whether the address of the account is known to be its owner's: a mail has proved it, or somebody vouches for it. */
export async function isAddressProven(
  { instance }: Pick<Reads, 'instance'>,
  { createdAt, addressProvedAt }: Pick<Account, 'createdAt' | 'addressProvedAt'>,
): Promise<boolean> {
  if (addressProvedAt !== null) return true;
  if ((await instance.get(WITHOUT_MAIL)) !== null) return false;
  const since = await instance.get(PROVED_SINCE);
  return since === null || createdAt >= Number(since);
}
