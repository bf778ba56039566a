import type { Role } from '../../domain/people/permission.ts';
import type { Project } from '../../domain/people/project.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

/** A project as a person sees it. */
export interface ProjectJson {
  readonly uuid: string;
  readonly name: string;
  /** What the person may do in it. */
  readonly role: Role | 'administrator';
  readonly created: string;
}

export function projectJson(
  { uuid, name, createdAt }: Pick<Project, 'uuid' | 'name' | 'createdAt'>,
  role: ProjectJson['role'],
): ProjectJson {
  return { uuid, name, role, created: toIsoSeconds(createdAt) };
}
