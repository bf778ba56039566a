import { AppError } from '../../domain/errors.ts';
import { isAllowed } from '../../domain/people/permission.ts';
import { type Connectable, isChannelKind } from '../../integrations/registry.ts';
import { seconds } from '../../lib/instant.ts';
import type { Deps } from '../core/deps.ts';
import type { AccountDeps } from '../people/deps.ts';
import { listProjects } from '../people/own-projects.ts';
import { openSealed, sealTogether } from '../people/sealed.ts';
import { type Connected, type ConnectingPerson, sealChoice } from './channel-connections.ts';

/** A destination that asks for alerts, before a project is chosen. */
interface Invitation extends Pick<Connectable, 'name' | 'settings'> {
  readonly kind: string;
}

const INVITATION = 'invitation of a destination';
const INVITATION_SPAN = seconds(600);

export function sealInvitation(deps: Pick<Deps, 'vault' | 'clock'>, invitation: Invitation): string {
  return sealTogether(deps, INVITATION, { ...invitation });
}

/** Lets the person choose the project for the destination. */
export async function openInvitation(
  deps: AccountDeps,
  { actor, session }: ConnectingPerson,
  sealed: string,
): Promise<Connected> {
  const values = openSealed(deps, INVITATION, sealed, INVITATION_SPAN) ?? {};
  const { kind, settings } = values;
  if (typeof kind !== 'string' || !isChannelKind(kind)) throw new AppError('connection_expired');
  const name = String(values.name);
  const destination = { name, settings: typeof settings === 'object' ? { ...settings } : {} };
  const { accountId } = actor;
  const projects = await listProjects(deps, actor);
  const choices = projects
    .filter(({ role }) => isAllowed({ kind: 'member', accountId, role, isConfirmed: false }, 'channels.edit'))
    .map(({ project }) => ({
      name: project.name,
      group: '',
      sealed: sealChoice(
        deps,
        { project: project.uuid, kind, sessionId: session.id, accountId },
        destination,
      ),
    }));
  return { kind, destination: name, choices };
}
