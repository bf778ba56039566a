import type { Invitation, Inviter, NewInvitation, OpenInvitation } from '../../domain/people/invitation.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Scalar, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { type SqlBoolean, Table } from './table.ts';

const table = new Table<keyof NewInvitation>('invitations', {
  uuid: 'uuid',
  projectId: 'project_id',
  digest: 'digest',
  email: 'email',
  role: 'role',
  invitedBy: 'invited_by',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
});

interface Joined {
  projectUuid: string;
  projectName: string;
  inviterEmail: string | null;
  inviterName: string;
  inviterIsAdmin: SqlBoolean;
  inviterRole: Inviter['role'];
}

export class SqlInvitationReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The invitation, unless it has expired. */
  async find(digest: string, now: Instant): Promise<OpenInvitation | null> {
    const [found] = await this.#open('digest = $1 and expires_at > $2', [digest, now]);
    return found ?? null;
  }

  /** Invitations of the project that have not expired, in order of creation. */
  ofProject(projectId: number, now: Instant): Promise<OpenInvitation[]> {
    return this.#open('project_id = $1 and expires_at > $2', [projectId, now]);
  }

  /** Invitations to that address that have not expired, in order of creation, at most `limit`. */
  ofEmail(email: string, now: Instant, limit: number): Promise<OpenInvitation[]> {
    return this.#open('email = $1 and expires_at > $2 order by id limit $3', [email, now, limit]);
  }

  async #open(condition: string, params: readonly Scalar[]): Promise<OpenInvitation[]> {
    const rows = await this.db.all<Invitation & Joined>(
      `select invitation.*, projects.uuid as "projectUuid", projects.name as "projectName",
              accounts.email as "inviterEmail", accounts.name as "inviterName",
              (accounts.is_admin and accounts.is_active) as "inviterIsAdmin",
              case when not accounts.is_active then null when projects.owner_id = accounts.id then 'owner' else (
                select members.role from members
                 where members.project_id = projects.id and members.account_id = accounts.id
              ) end as "inviterRole"
         from (select ${table.columns} from invitations where ${condition}) as invitation
         join projects on projects.id = invitation."projectId" and projects.deletes_at is null
         left join accounts on accounts.id = invitation."invitedBy"
        order by invitation.id`,
      params,
    );
    return rows.map(toOpen);
  }
}

export class SqlInvitations extends SqlInvitationReads<Writer> {
  async insert(invitation: NewInvitation): Promise<void> {
    await this.db.send(table.insert, [table.values(invitation)]);
  }

  /** Gives the invitation another secret, date and inviter. Returns false if it is gone. */
  async renew({ id, digest, invitedBy, expiresAt }: Invitation): Promise<boolean> {
    return this.changesOne(
      'update invitations set digest = $2, invited_by = $3, expires_at = $4 where id = $1',
      [id, digest, invitedBy, expiresAt],
    );
  }

  /** Returns false if it was gone already. If several remove it at once, one gets true. */
  async remove(id: number): Promise<boolean> {
    return (await this.db.run('delete from invitations where id = $1', [id])) === 1;
  }

  /** Removes the invitations of the project to that address. */
  async removeOfEmail(projectId: number, email: string): Promise<void> {
    await this.db.send('delete from invitations where project_id = $1 and email = $2', [[projectId, email]]);
  }

  /** Removes invitations that have expired, at most `most`. Returns their number. */
  async prune(now: Instant, most: number): Promise<number> {
    const old = await this.db.all<{ id: number }>(
      'select id from invitations where expires_at <= $1 order by expires_at limit $2',
      [now, most],
    );
    if (old.length === 0) return 0;
    return this.db.run(`delete from invitations where id ${this.dialect.inList('$1')} and expires_at <= $2`, [
      this.dialect.list(old.map(({ id }) => id)),
      now,
    ]);
  }
}

function toOpen(row: Invitation & Joined): OpenInvitation {
  const { projectUuid, projectName, inviterEmail, inviterName, inviterIsAdmin, inviterRole, ...invitation } =
    row;
  return {
    ...invitation,
    project: { uuid: projectUuid, name: projectName },
    inviter:
      inviterEmail === null
        ? null
        : { email: inviterEmail, name: inviterName, isAdmin: Boolean(inviterIsAdmin), role: inviterRole },
  };
}
