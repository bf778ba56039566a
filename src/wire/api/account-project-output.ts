import type { Role } from '../../domain/people/permission.ts';
import type { DeletedProject, Project } from '../../domain/people/project.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

export type AccountProjectJson = ReturnType<typeof accountProjectJson>;

/** A project that was just deleted. */
export type DeletedProjectJson = ReturnType<typeof deletedJson>;

/** Shows these fields only: a project also has keys. */
export function accountProjectJson(
  { uuid, name, createdAt }: Pick<Project, 'uuid' | 'name' | 'createdAt'>,
  role: Role,
) {
  return { uuid, name, role, created: toIsoSeconds(createdAt) };
}

export function deletedJson({ uuid, name, deletesAt }: DeletedProject) {
  return { uuid, name, deletes_at: toIsoSeconds(deletesAt) };
}
