import type { Role } from '../../domain/permission.ts';
import type { Project } from '../../domain/project.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

/** A project in the list of a person. */
export interface ProjectJson {
  readonly uuid: string;
  readonly name: string;
  /** What the person may do in it. */
  readonly role: Role | 'administrator';
  readonly created: string;
}

export function projectJson({ uuid, name, createdAt }: Project, role: ProjectJson['role']): ProjectJson {
  return { uuid, name, role, created: toIsoSeconds(createdAt) };
}
