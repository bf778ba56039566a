import type { MemberRole } from '../../domain/people/permission.ts';
import type { Instant } from '../../lib/instant.ts';

/** A membership that groups of a provider have given. */
export interface GroupMembership {
  readonly projectId: number;
  readonly projectUuid: string;
  readonly projectName: string;
  readonly role: MemberRole;
}

export interface GroupMemberReads {
  /** In order of the projects. */
  ofAccount(accountId: number): Promise<GroupMembership[]>;
}

/** Memberships that people have given are neither listed nor changed here. */
export interface GroupMemberWrites extends GroupMemberReads {
  /**
   * Gives the role in the project with this UUID. Returns null if nothing has changed: there is no such project, the account
   * owns it, has the role, or has one from a person; or there are `maxMembers` others.
   */
  give(
    accountId: number,
    projectUuid: string,
    role: MemberRole,
    options: { readonly maxMembers: number; readonly at: Instant },
  ): Promise<GroupMembership | null>;
  take(accountId: number, projectId: number): Promise<void>;
}
