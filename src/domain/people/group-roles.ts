import { MEMBER_ROLES, type MemberRole } from './permission.ts';

/** The role that people of a group have in a project. */
export interface GroupRole {
  readonly group: string;
  /** The UUID of the project. */
  readonly project: string;
  readonly role: MemberRole;
}

/** What the operator gives to groups of a provider or a proxy. */
export interface GroupRules {
  /** Whoever is in one of these administers the installation. */
  readonly admins: readonly string[];
  readonly roles: readonly GroupRole[];
}

/** The role in each project, by its UUID, that somebody of these groups has. Of several the highest counts. */
export function rolesOfGroups(
  { roles }: GroupRules,
  groups: readonly string[],
): ReadonlyMap<string, MemberRole> {
  const given = new Map<string, MemberRole>();
  const held = new Set(groups);
  for (const { group, project, role } of roles) {
    if (!held.has(group)) continue;
    const other = given.get(project);
    if (other === undefined || rankOf(role) > rankOf(other)) given.set(project, role);
  }
  return given;
}

export function isAdminByGroups({ admins }: GroupRules, groups: readonly string[]): boolean {
  return groups.some((group) => admins.includes(group));
}

function rankOf(role: MemberRole): number {
  return MEMBER_ROLES.indexOf(role);
}
