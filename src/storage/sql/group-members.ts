import type { MemberRole } from '../../domain/people/permission.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { oneRow } from './table.ts';

/** A membership that groups of a provider have given. */
export interface GroupMembership {
  readonly projectId: number;
  readonly projectUuid: string;
  readonly projectName: string;
  readonly role: MemberRole;
}

export class SqlGroupMemberReads<Db extends Reader = Reader> extends Statements<Db> {
  /** In order of the projects. */
  async ofAccount(accountId: number): Promise<GroupMembership[]> {
    return this.db.all(
      `select projects.id as "projectId", projects.uuid as "projectUuid", projects.name as "projectName",
              members.role
         from members join projects on projects.id = members.project_id
        where members.account_id = $1 and members.is_by_group order by projects.id`,
      [accountId],
    );
  }
}

/** Memberships that people have given are neither listed nor changed here. */
export class SqlGroupMembers extends SqlGroupMemberReads<Writer> {
  /**
   * Gives the role in the project with this UUID. Returns null if nothing has changed: there is no such project, the account
   * owns it, has the role, or has one from a person; or there are `maxMembers` others.
   */
  async give(
    accountId: number,
    projectUuid: string,
    role: MemberRole,
    { maxMembers, at }: { readonly maxMembers: number; readonly at: Instant },
  ): Promise<GroupMembership | null> {
    const [project] = await this.db.all<{ id: number; name: string }>(
      'select id, name from projects where uuid = $1 and owner_id <> $2',
      [projectUuid, accountId],
    );
    if (project === undefined) return null;
    const others = await this.db.all<{ count: number }>(
      'select count(*) as count from members where project_id = $1 and account_id <> $2',
      [project.id, accountId],
    );
    if (oneRow(others).count >= maxMembers) return null;
    const changed = await this.db.run(
      `insert into members (project_id, account_id, role, created_at, is_by_group)
       values ($1, $2, $3, $4, true)
       on conflict (project_id, account_id) do update set role = excluded.role
        where members.is_by_group and members.role <> excluded.role`,
      [project.id, accountId, role, at],
    );
    if (changed === 0) return null;
    return { projectId: project.id, projectUuid, projectName: project.name, role };
  }

  async take(accountId: number, projectId: number): Promise<void> {
    await this.db.send('delete from members where project_id = $2 and account_id = $1 and is_by_group', [
      [accountId, projectId],
    ]);
    await this.db.send('delete from project_transfers where project_id = $2 and account_id = $1', [
      [accountId, projectId],
    ]);
  }
}
