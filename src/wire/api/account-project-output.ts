import type { Role } from '../../domain/people/permission.ts';
import type { DeletedProject, Project } from '../../domain/people/project.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

/** A project of an account. */
export interface AccountProjectJson {
  uuid: string;
  name: string;
  /** The account's role in it. */
  role: Role;
  created: string;
}

/** A project that was just deleted. */
export interface DeletedProjectJson {
  uuid: string;
  name: string;
  /** Until then it can be restored. */
  deletes_at: string;
}

/** Shows these fields only: a project also has keys. */
export function accountProjectJson(
  { uuid, name, createdAt }: Pick<Project, 'uuid' | 'name' | 'createdAt'>,
  role: Role,
): AccountProjectJson {
  return { uuid, name, role, created: toIsoSeconds(createdAt) };
}

export function deletedJson({ uuid, name, deletesAt }: DeletedProject): DeletedProjectJson {
  return { uuid, name, deletes_at: toIsoSeconds(deletesAt) };
}
