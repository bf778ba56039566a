import { MEMBER_ROLES, type MemberRole } from './permission.ts';

/** The role that people of a group have in a project. */
export interface GroupRole {
  readonly group: string;
  /** The UUID of the project. */
  readonly project: string;
  readonly role: MemberRole;
}

/** The operator's rules for groups of a provider or a proxy. */
export interface GroupRules {
  /** Members of these groups administer the installation. */
  readonly admins: readonly string[];
  readonly roles: readonly GroupRole[];
}

/** The roles that members of these groups have, by UUID of the project. The highest role wins. */
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
