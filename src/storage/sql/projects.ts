import { type ChangeCollector, wholeProject } from '../../domain/change.ts';
import type { DeclarationMode } from '../../domain/check/job-declaration.ts';
import type { MemberRole, Role } from '../../domain/people/permission.ts';
import type {
  Acquaintance,
  DeletedProject,
  Member,
  NewProject,
  Project,
  TeamMember,
} from '../../domain/people/project.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { memberships } from './membership.ts';
import { Statements } from './statements.ts';
import { type Stored, Table } from './table.ts';

/** A project in the list of a person. */
export interface ProjectOverview {
  readonly project: Project;
  readonly role: Role;
  readonly ownerEmail: string;
  readonly channelCount: number;
  /** The member to whom the owner offers the project. */
  readonly offer: { readonly accountId: number; readonly email: string } | null;
}

/** Totals of a project, for administrators. */
export interface ProjectUsage {
  readonly id: number;
  readonly ownerEmail: string;
  readonly checks: number;
  readonly channels: number;
  /** Without the owner. */
  readonly members: number;
}

const table = new Table<keyof NewProject>('projects', {
  uuid: 'uuid',
  ownerId: 'owner_id',
  name: 'name',
  badgeKey: 'badge_key',
  pingKeyDigest: 'ping_key_digest',
  pingKeySealed: 'ping_key_sealed',
  createdAt: 'created_at',
});

/** A condition: the project is not a bin of another one. */
const NO_BIN = 'bin_of is null';

/** A project with deleted checks is deleted for everybody. It goes when the project goes that it belongs to. */
const NEVER: Instant = Number.MAX_SAFE_INTEGER;

const COLUMNS = `${table.columns}, deletes_at as "deletesAt"`;

type WithRole = Project & { role: Role | null };

type OverviewRow = WithRole &
  Pick<ProjectOverview, 'ownerEmail' | 'channelCount'> & {
    offeredToId: number | null;
    offeredTo: string | null;
  };

/** Columns of a project, and the role of account `$1`, which is null if it has none. */
const WITH_ROLE = `${COLUMNS}, case when owner_id = $1 then 'owner' else (
    select role from members where members.project_id = projects.id and members.account_id = $1
  ) end as role`;

/** The people of project `$1` with their roles. The owner has one role, even if a row names them as a member. */
const TEAM = `(
    select owner_id as account_id, 'owner' as role, created_at, 0 as place from projects where id = $1
    union all
    select account_id, role, created_at, 1 as place from members
     where project_id = $1 and account_id <> (select owner_id from projects where id = $1)
  ) as team`;

/** Rows of members that are looked at for acquaintances. An owner may have many projects. */
const MAX_SCANNED_MEMBERS = 1_000;

function splitRole({ role, ...project }: WithRole): { project: Project; role: Role } | null {
  return role === null ? null : { project, role };
}

export class SqlProjectReads<Db extends Reader = Reader> extends Statements<Db> {
  /** How far jobs may declare the checks of the project. */
  async declarationMode(id: number): Promise<DeclarationMode> {
    const row = await this.first<{ mode: DeclarationMode }>(
      'select job_declarations as mode from projects where id = $1',
      [id],
    );
    return row?.mode ?? 'off';
  }

  /** Also finds a deleted project, like the other reads of one project. */
  async byId(id: number): Promise<Project | null> {
    return this.#first('where id = $1', [id]);
  }

  async byUuid(uuid: string): Promise<Project | null> {
    return this.#first('where uuid = $1', [uuid]);
  }

  /** The project with this UUID, if an administrator visits it in that session. */
  async visitedIn(sessionId: number, uuid: string, now: Instant): Promise<Project | null> {
    return this.#first(
      `where uuid = $2 and deletes_at is null and exists (
         select 1 from administrator_visits
          where session_id = $1 and project_id = projects.id and ends_at > $3)`,
      [sessionId, uuid, now],
    );
  }

  /** In the order of their ids. */
  async usageOf(ids: readonly number[]): Promise<ProjectUsage[]> {
    return this.db.all(
      `select id, (select email from accounts where accounts.id = projects.owner_id) as "ownerEmail",
              (select count(*) from checks where checks.project_id = projects.id) as checks,
              (select count(*) from channels where channels.project_id = projects.id) as channels,
              (select count(*) from members where members.project_id = projects.id) as members
         from projects where id ${this.dialect.inList('$1')} order by id`,
      [this.dialect.list(ids)],
    );
  }

  /** Projects that the account owns or is a member of, without deleted ones, in order of creation. */
  async accessibleTo(accountId: number): Promise<Project[]> {
    return this.db.all(
      `select ${COLUMNS} from projects
        where id in (select project_id from ${memberships('account_id', '= $1')})
        order by id`,
      [accountId],
    );
  }

  /** The projects of `accessibleTo`, each with the account's role. */
  async withRoles(accountId: number): Promise<{ project: Project; role: Role }[]> {
    const rows = await this.db.all<WithRole>(
      `select ${WITH_ROLE} from projects
        where id in (select project_id from ${memberships('account_id', '= $1')}) order by id`,
      [accountId],
    );
    return rows.flatMap((row) => splitRole(row) ?? []);
  }

  /** The project with this UUID and the role that the account has in it. Null if it has none, or the project is deleted. */
  async accessOf(accountId: number, uuid: string): Promise<{ project: Project; role: Role } | null> {
    const [row] = await this.db.all<WithRole>(
      `select ${WITH_ROLE} from projects where uuid = $2 and deletes_at is null`,
      [accountId, uuid],
    );
    return row === undefined ? null : splitRole(row);
  }

  /** People who are members of the project, without its owner, in the order in which they came. */
  async membersOf(id: number): Promise<Member[]> {
    return this.db.all(
      `select members.account_id as "accountId", accounts.uuid, accounts.email, accounts.name, members.role,
              members.created_at as "createdAt"
         from members join accounts on accounts.id = members.account_id
        where members.project_id = $1 order by members.created_at, members.account_id`,
      [id],
    );
  }

  /** The owner of the project, then its members in the order in which they came. */
  async teamOf(id: number): Promise<TeamMember[]> {
    const rows = await this.db.all<Stored<TeamMember>>(
      `select accounts.id as "accountId", accounts.uuid, accounts.email, accounts.name, team.role,
              team.created_at as "createdAt",
              (select max(last_seen_at) from sessions where sessions.account_id = accounts.id) as "lastSeenAt",
              exists (select 1 from authenticators where authenticators.account_id = accounts.id)
                or exists (select 1 from passkeys where passkeys.account_id = accounts.id) as "hasSecondFactor"
         from ${TEAM} join accounts on accounts.id = team.account_id
        order by team.place, team.created_at, accounts.id`,
      [id],
    );
    return rows.map((row) => ({ ...row, hasSecondFactor: Boolean(row.hasSecondFactor) }));
  }

  /** The role of the account in the project. Null if it has none. */
  async roleOf(id: number, accountId: number): Promise<Role | null> {
    const [row] = await this.db.all<{ role: Role }>(`select role from ${TEAM} where account_id = $2`, [
      id,
      accountId,
    ]);
    return row?.role ?? null;
  }

  /** Whether the account is a member of another project of the same owner. */
  async isInOtherProject(id: number, accountId: number): Promise<boolean> {
    return this.hasRow(
      `select 1 from members join projects on projects.id = members.project_id
        where members.account_id = $2 and projects.id <> $1
          and projects.owner_id = (select owner_id from projects where id = $1) limit 1`,
      [id, accountId],
    );
  }

  /**
   * Members of other projects of the same owner who are not in this project, in order of their addresses, at most `most`.
   * With `asker`, only of projects in which that account has a role.
   */
  async acquaintancesOf(id: number, asker: number | null, most: number): Promise<Acquaintance[]> {
    const seen =
      asker === null ? '' : `and id in (select project_id from ${memberships('account_id', '= $3')})`;
    return this.db.all(
      `select uuid, email, name from accounts
        where id in (
            select account_id from members
             where project_id in (
                 select id from projects
                  where owner_id = (select owner_id from projects where id = $1) and id <> $1 ${seen}
               )
             limit ${MAX_SCANNED_MEMBERS}
          )
          and id not in (select account_id from ${TEAM})
        order by email limit $2`,
      asker === null ? [id, most] : [id, most, asker],
    );
  }

  /** All projects of the owner with that name; names need not be unique. */
  async byOwnerAndName(ownerId: number, name: string): Promise<Project[]> {
    return this.db.all(`select ${COLUMNS} from projects where owner_id = $1 and name = $2 order by id`, [
      ownerId,
      name,
    ]);
  }

  /** The project in which deleted checks of this one wait. Null if it has none. */
  async binOf(id: number): Promise<number | null> {
    const [row] = await this.db.all<{ id: number }>('select id from projects where bin_of = $1', [id]);
    return row?.id ?? null;
  }

  /** All projects of the owner, deleted ones included, in order of creation. */
  async ownedBy(ownerId: number): Promise<Project[]> {
    return this.db.all(`select ${COLUMNS} from projects where owner_id = $1 and ${NO_BIN} order by id`, [
      ownerId,
    ]);
  }

  /** Deleted projects that the owner can restore, the first to go first. */
  async restorableOf(ownerId: number, now: Instant): Promise<DeletedProject[]> {
    return this.db.all(
      `select ${COLUMNS} from projects where owner_id = $1 and deletes_at > $2 and ${NO_BIN} order by deletes_at, id`,
      [ownerId, now],
    );
  }

  /** The projects that the account owns or is a member of, for a list, in order of creation. */
  async overviewsOf(accountId: number): Promise<ProjectOverview[]> {
    const rows = await this.db.all<OverviewRow>(
      `select ${WITH_ROLE},
              (select email from accounts where accounts.id = owner_id) as "ownerEmail",
              (select count(*) from channels where channels.project_id = projects.id) as "channelCount",
              (select account_id from project_transfers where project_id = projects.id) as "offeredToId",
              (select email from accounts where accounts.id = (
                 select account_id from project_transfers where project_id = projects.id)) as "offeredTo"
         from projects
        where id in (select project_id from ${memberships('account_id', '= $1')}) order by id`,
      [accountId],
    );
    return rows.flatMap(({ ownerEmail, channelCount, offeredToId, offeredTo, ...row }) => {
      const found = splitRole(row);
      const offer = offeredToId === null ? null : { accountId: offeredToId, email: offeredTo ?? '' };
      return found === null ? [] : [{ ...found, ownerEmail, channelCount, offer }];
    });
  }

  /** The project that a ping key belongs to. */
  async byPingKey(digest: string): Promise<Project | null> {
    return this.#first('where ping_key_digest = $1', [digest]);
  }

  /** The project that public badges with this key belong to. */
  async byBadgeKey(badgeKey: string): Promise<Project | null> {
    return this.#first('where badge_key = $1', [badgeKey]);
  }

  /** The number of projects. Stops counting at `most`. */
  async count(most: number): Promise<number> {
    return this.counted(
      `select count(*) as count from (select 1 from projects where ${NO_BIN} limit $1) as counted`,
      [most],
    );
  }

  /** People who are members of the project, without its owner. */
  async memberCount(id: number): Promise<number> {
    return this.counted('select count(*) as count from members where project_id = $1', [id]);
  }

  /** Projects after that id, in the order of their ids, at most `most`. */
  async page(afterId: number, most: number): Promise<Project[]> {
    return this.db.all(`select ${COLUMNS} from projects where id > $1 and ${NO_BIN} order by id limit $2`, [
      afterId,
      most,
    ]);
  }

  async #first(where: string, params: readonly (string | number)[]): Promise<Project | null> {
    return this.first(`select ${COLUMNS} from projects ${where}`, params);
  }
}

export class SqlProjects extends SqlProjectReads<Writer> {
  readonly #touched: ChangeCollector;

  constructor(db: Writer, dialect: Dialect, touched: ChangeCollector) {
    super(db, dialect);
    this.#touched = touched;
  }

  async insert(project: NewProject): Promise<Project> {
    return { ...project, deletesAt: null, id: await table.add(this.db, project) };
  }

  /** The project, locked until the transaction ends. */
  async lock(id: number): Promise<Project | null> {
    return this.first(`select ${COLUMNS} from projects where id = $1 ${this.dialect.forUpdate}`, [id]);
  }

  async lockByUuid(uuid: string): Promise<Project | null> {
    return this.first(`select ${COLUMNS} from projects where uuid = $1 ${this.dialect.forUpdate}`, [uuid]);
  }

  /**
   * From now on a plan says who is told of flips in the project. It comes before its checks are locked, as with everything
   * that locks projects.
   */
  async usePolicies(id: number): Promise<void> {
    await this.db.send('update projects set has_policies = $2 where id = $1 and has_policies <> $2', [
      [id, true],
    ]);
  }

  /** The owner of the project, who stays its owner until the transaction ends. */
  async lockOwner(id: number): Promise<number | null> {
    const [row] = await this.db.all<{ ownerId: number }>(
      `select owner_id as "ownerId" from projects where id = $1 ${this.dialect.forUpdate === '' ? '' : 'for share'}`,
      [id],
    );
    return row?.ownerId ?? null;
  }

  /** A project that is to be deleted for good, locked. Passes over projects that another node works on. */
  async lockDueDeletion(now: Instant): Promise<Project | null> {
    return this.first(
      `select ${COLUMNS} from projects where deletes_at is not null and deletes_at <= $1
        order by deletes_at limit 1
        ${this.dialect.forUpdate === '' ? '' : `${this.dialect.forUpdate} skip locked`}`,
      [now],
    );
  }

  /** Whether a provisioning file has declared the project. */
  async isDeclared(id: number): Promise<boolean> {
    return this.hasRow('select id from projects where id = $1 and declared_as is not null', [id]);
  }

  async rename(id: number, name: string): Promise<void> {
    this.#touched.add([wholeProject(id)]);
    await this.db.send('update projects set name = $2 where id = $1', [[id, name]]);
  }

  /** Deletes the project at that time, or restores it. */
  async setDeletion(id: number, at: Instant | null): Promise<void> {
    this.#touched.add([wholeProject(id)]);
    await this.db.send('update projects set deletes_at = $2 where id = $1', [[id, at]]);
  }

  /** Makes the project in which deleted checks of this one wait, unless it has one. Nobody can enter it. */
  async addBin(
    id: number,
    { uuid, badgeKey, createdAt }: Pick<NewProject, 'uuid' | 'badgeKey' | 'createdAt'>,
  ): Promise<void> {
    await this.db.send(
      `insert into projects (uuid, owner_id, name, badge_key, created_at, deletes_at, bin_of)
       select $2, owner_id, '', $3, $4, $5, id from projects where id = $1
       on conflict do nothing`,
      [[id, uuid, badgeKey, createdAt, NEVER]],
    );
  }

  async setOwner(id: number, ownerId: number): Promise<void> {
    this.#touched.add([wholeProject(id)]);
    await this.db.send('update projects set owner_id = $2 where id = $1 or bin_of = $1', [[id, ownerId]]);
  }

  /** Gives up the keys of the project and its name in a provisioning file, so that another project can have them. */
  async dropNames(id: number): Promise<void> {
    await this.db.send(
      'update projects set declared_as = null, ping_key_digest = null, ping_key_sealed = null where id = $1',
      [[id]],
    );
    await this.db.send('delete from api_keys where project_id = $1', [[id]]);
  }

  /** Lets an administrator into the project in that session. A visit that has begun is extended. */
  async beginVisit(sessionId: number, projectId: number, endsAt: Instant): Promise<void> {
    await this.db.send(
      `insert into administrator_visits (session_id, project_id, ends_at) values ($1, $2, $3)
       on conflict (session_id, project_id) do update set ends_at = excluded.ends_at`,
      [[sessionId, projectId, endsAt]],
    );
  }

  /** Returns false if there was no visit. */
  async endVisit(sessionId: number, projectId: number): Promise<boolean> {
    return this.changesOne('delete from administrator_visits where session_id = $1 and project_id = $2', [
      sessionId,
      projectId,
    ]);
  }

  /** The project that a ping key belongs to, locked until the transaction ends. */
  async setDeclarationMode(id: number, mode: DeclarationMode): Promise<void> {
    this.#touched.add([wholeProject(id)]);
    await this.db.send('update projects set job_declarations = $2 where id = $1', [[id, mode]]);
  }

  async lockByPingKey(digest: string): Promise<Project | null> {
    return this.first(
      `select ${COLUMNS} from projects where ping_key_digest = $1 ${this.dialect.forUpdate}`,
      [digest],
    );
  }

  /** Deletes the project with all that belongs to it, except bodies in object storage. Delete its checks first. */
  async delete(id: number): Promise<void> {
    this.#touched.add([wholeProject(id)]);
    await this.db.send('delete from projects where id = $1', [[id]]);
  }

  async setBadgeKey(id: number, badgeKey: string): Promise<void> {
    await this.db.send('update projects set badge_key = $2 where id = $1', [[id, badgeKey]]);
  }

  /** Null takes the ping key away. */
  async setPingKey(id: number, digest: string | null, sealed: string | null): Promise<void> {
    await this.db.send('update projects set ping_key_digest = $2, ping_key_sealed = $3 where id = $1', [
      [id, digest, sealed],
    ]);
  }

  /** Saves the ping key under a new seal, unless the project has another key meanwhile. */
  async resealPingKey({ id, pingKeySealed }: Project, sealed: string): Promise<void> {
    await this.db.send('update projects set ping_key_sealed = $3 where id = $1 and ping_key_sealed = $2', [
      [id, pingKeySealed, sealed],
    ]);
  }

  /** Makes the account a member. Returns false if it already is one. */
  async addMember(projectId: number, accountId: number, role: MemberRole, at: Instant): Promise<boolean> {
    return this.changesOne(
      `insert into members (project_id, account_id, role, created_at) values ($1, $2, $3, $4)
       on conflict (project_id, account_id) do nothing`,
      [projectId, accountId, role, at],
    );
  }

  /** Returns false if the account is not a member. */
  async setRole(projectId: number, accountId: number, role: MemberRole): Promise<boolean> {
    return this.changesOne(
      // A role that a person has chosen is no longer the matter of groups.
      'update members set role = $3, is_by_group = false where project_id = $1 and account_id = $2',
      [projectId, accountId, role],
    );
  }

  /** Ends the membership, and with it an offer of the project. Returns false if the account was no member. */
  async removeMember(projectId: number, accountId: number): Promise<boolean> {
    await this.db.send('delete from project_transfers where project_id = $1 and account_id = $2', [
      [projectId, accountId],
    ]);
    return this.changesOne('delete from members where project_id = $1 and account_id = $2', [
      projectId,
      accountId,
    ]);
  }
}
