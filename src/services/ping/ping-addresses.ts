import type { AddressForm, Addressing } from '../../domain/ping/ping-address.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { readProject } from '../project/projects.ts';

/** The facts that make the ping addresses of the project, in the form that the person has chosen. */
export async function readAddressing(
  { store, vault }: Pick<Deps, 'store' | 'vault'>,
  actor: Actor,
): Promise<Addressing> {
  requirePermission(actor, 'checks.view_addresses');
  const { accountId } = actor.by;
  const form = accountId === null ? 'uuid' : await store.accounts.addressForm(accountId);
  // Most people need no key for it.
  if (form === 'uuid') return { form, pingKey: null };
  const { pingKeySealed } = await readProject({ store }, actor);
  return { form, pingKey: pingKeySealed && vault.unseal(pingKeySealed) };
}

/** Chooses the addresses that the person is shown. Pings to addresses of the other form work as before. */
export async function chooseAddressForm(
  { store }: Pick<Deps, 'store'>,
  actor: Actor,
  form: AddressForm,
): Promise<void> {
  requirePermission(actor, 'checks.view_addresses');
  const { accountId } = actor.by;
  if (accountId !== null) await store.transaction((tx) => tx.accounts.setAddressForm(accountId, form));
}
