/**
 * Pairs of `project_id` and `account_id`: the owner of each project, and its members. A deleted project has neither, until
 * it is restored. `condition` is about `column`. Both halves of the union contain the condition, because SQLite does not
 * move a condition from outside into them.
 */
export function memberships(column: 'project_id' | 'account_id', condition: string): string {
  const ownColumn = column === 'project_id' ? 'id' : 'owner_id';
  return `(select id as project_id, owner_id as account_id from projects
     where projects.${ownColumn} ${condition} and projects.deletes_at is null
    union select project_id, account_id from members
     where members.${column} ${condition} and ${isLive('members.project_id')}) as membership`;
}

/** A condition: nobody has deleted the project with this id. */
export function isLive(projectId: string): string {
  return `exists (select 1 from projects where projects.id = ${projectId} and projects.deletes_at is null)`;
}
