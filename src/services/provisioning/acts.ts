import type { ActedBy } from '../../domain/people/audit.ts';
import type { Project } from '../../domain/people/project.ts';
import { type Actor, systemActor } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';

/** The author of the provisioning file, as the audit log names them. */
export const PROVISIONING_FILE: ActedBy = {
  accountId: null,
  name: 'provisioning file',
  means: 'file',
  remoteAddr: null,
};

export interface ProvisionDeps extends Deps {
  /** The author of the declaration, as the audit log names them. */
  readonly by: ActedBy;
}

/** The program in the project, for the author of the declaration. */
export function actorIn({ by }: Pick<ProvisionDeps, 'by'>, { id }: Pick<Project, 'id'>): Actor {
  return systemActor(id, by);
}

/** The program in the project, for the file. */
export function fileActor(project: Pick<Project, 'id'>): Actor {
  return actorIn({ by: PROVISIONING_FILE }, project);
}
