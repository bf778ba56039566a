import type { OwnedRow } from '../../domain/change.ts';
import type { CheckRef } from '../../domain/check/check.ts';
import type { Role } from '../../domain/people/permission.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader } from '../driver.ts';
import { memberships } from './membership.ts';

/** A check that somebody may see, and the account that owns its project. */
export interface FoundCheck {
  readonly check: OwnedRow;
  readonly ownerId: number;
}

const FOUND = 'checks.id, checks.project_id as "projectId", projects.owner_id as "ownerId"';

type FoundRow = OwnedRow & Pick<FoundCheck, 'ownerId'>;

function foundOf({ id, projectId, ownerId }: FoundRow): FoundCheck {
  return { check: { id, projectId }, ownerId };
}

/** The projects that the administrator visits in session `$1` at the time `$3`. */
const VISITED = 'select project_id from administrator_visits where session_id = $1 and ends_at > $3';

/**
 * A condition: the check is the one that `$2` names. A UUID is found at once. A unique key is looked up in the projects
 * that the subquery lists, since its index begins with the project.
 */
function isNamed(ref: CheckRef, projects: string): string {
  return 'uuid' in ref ? 'checks.uuid = $2' : `checks.unique_key = $2 and checks.project_id in (${projects})`;
}

function nameOf(ref: CheckRef): string {
  return 'uuid' in ref ? ref.uuid : ref.uniqueKey;
}

export async function findAccess(
  db: Reader,
  accountId: number,
  ref: CheckRef,
): Promise<(FoundCheck & { role: Role }) | null> {
  const own = `select project_id from ${memberships('account_id', '= $1')}`;
  const [row] = await db.all<FoundRow & { role: Role | null }>(
    `select ${FOUND},
            case when projects.owner_id = $1 then 'owner' else (
              select role from members where members.project_id = projects.id and members.account_id = $1
            ) end as role
       from checks join projects on projects.id = checks.project_id
      where projects.deletes_at is null and ${isNamed(ref, own)}`,
    [accountId, nameOf(ref)],
  );
  if (row === undefined || row.role === null) return null;
  return { ...foundOf(row), role: row.role };
}

export async function findVisited(
  db: Reader,
  sessionId: number,
  ref: CheckRef,
  now: Instant,
): Promise<FoundCheck | null> {
  const [row] = await db.all<FoundRow>(
    `select ${FOUND}
       from checks join projects on projects.id = checks.project_id
      where projects.deletes_at is null and checks.project_id in (${VISITED}) and ${isNamed(ref, VISITED)}`,
    [sessionId, nameOf(ref), now],
  );
  return row === undefined ? null : foundOf(row);
}
