import type { AddressForm, Addressing } from '../../domain/ping/ping-address.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { projectSubject, readProject } from '../project/projects.ts';
import { lockTeam } from '../project/team.ts';

/** The facts that make the ping addresses of the project. */
export async function readAddressing(
  { store, vault }: Pick<Deps, 'store' | 'vault'>,
  actor: Actor,
): Promise<Addressing> {
  requirePermission(actor, 'checks.view_addresses');
  const form = await store.projects.addressForm(actor.projectId);
  // Most projects need no key for it.
  if (form === 'uuid') return { form, pingKey: null };
  const { pingKeySealed } = await readProject({ store }, actor);
  return { form, pingKey: pingKeySealed && vault.unseal(pingKeySealed) };
}

/** Chooses the addresses that everybody in the project is shown. Pings to addresses of the other form work as before. */
export async function chooseAddressForm(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
  form: AddressForm,
): Promise<void> {
  requirePermission(actor, 'project.edit');
  await deps.store.transaction(async (tx) => {
    const project = await lockTeam(tx, actor, 'project.edit');
    const before = await tx.projects.addressForm(project.id);
    if (before === form) return;
    await tx.projects.setAddressForm(project.id, form);
    await recordInProject(deps, tx, actor, {
      action: 'project.addresses_chosen',
      subject: projectSubject(project),
      details: { before: { addresses: before }, after: { addresses: form } },
    });
  });
}
