import type { ActedBy } from '../../domain/people/audit.ts';
import type { Project } from '../../domain/people/project.ts';
import { type Actor, systemActor } from '../core/actor.ts';

/** The author of the provisioning file, as the audit log names them. */
export const PROVISIONING_FILE: ActedBy = {
  accountId: null,
  name: 'provisioning file',
  means: 'file',
  remoteAddr: null,
};

/** The program in the project, for the file. */
export function fileActor({ id }: Pick<Project, 'id'>): Actor {
  return systemActor(id, PROVISIONING_FILE);
}
