import type { MemberRole } from '../../domain/people/permission.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import type { GroupMemberReads, GroupMembership, GroupMemberWrites } from '../store.ts';
import { oneRow } from './table.ts';

export class SqlGroupMemberReads implements GroupMemberReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async ofAccount(accountId: number): Promise<GroupMembership[]> {
    return this.#db.all(
      `select projects.id as "projectId", projects.uuid as "projectUuid", projects.name as "projectName",
              members.role
         from members join projects on projects.id = members.project_id
        where members.account_id = $1 and members.is_by_group order by projects.id`,
      [accountId],
    );
  }
}

export class SqlGroupMembers extends SqlGroupMemberReads implements GroupMemberWrites {
  readonly #db: Writer;

  constructor(db: Writer) {
    super(db);
    this.#db = db;
  }

  async give(
    accountId: number,
    projectUuid: string,
    role: MemberRole,
    { maxMembers, at }: { readonly maxMembers: number; readonly at: Instant },
  ): Promise<GroupMembership | null> {
    const [project] = await this.#db.all<{ id: number; name: string }>(
      'select id, name from projects where uuid = $1 and owner_id <> $2',
      [projectUuid, accountId],
    );
    if (project === undefined) return null;
    const others = await this.#db.all<{ count: number }>(
      'select count(*) as count from members where project_id = $1 and account_id <> $2',
      [project.id, accountId],
    );
    if (oneRow(others).count >= maxMembers) return null;
    const changed = await this.#db.run(
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
    await this.#db.send('delete from members where project_id = $2 and account_id = $1 and is_by_group', [
      [accountId, projectId],
    ]);
    await this.#db.send('delete from project_transfers where project_id = $2 and account_id = $1', [
      [accountId, projectId],
    ]);
  }
}
