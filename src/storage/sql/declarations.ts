import { DEFAULT_SOURCE } from '../../domain/declaration-source.ts';
import type { PingDialect } from '../../domain/ping/dialect.ts';
import type { Writer } from '../driver.ts';
import { amongTexts, textList } from './check-reads.ts';
import { Statements } from './statements.ts';

/** The table and the owner's column for each kind of entry that a file can declare, except accounts and keys: those have unique names of their own. */
const PLACES = {
  project: { table: 'projects', owner: 'owner_id' },
  channel: { table: 'channels', owner: 'project_id' },
  check: { table: 'checks', owner: 'project_id' },
  status_page: { table: 'status_pages', owner: 'project_id' },
  wall: { table: 'walls', owner: 'project_id' },
  view: { table: 'saved_views', owner: 'project_id' },
  policy: { table: 'policies', owner: 'project_id' },
  calendar: { table: 'calendars', owner: 'project_id' },
  quiet_time: { table: 'quiet_times', owner: 'project_id' },
  account_token: { table: 'account_tokens', owner: 'account_id' },
} as const;

export type DeclaredKind = keyof typeof PLACES;

/** The kinds of entries that belong to projects. */
const IN_PROJECTS = Object.values(PLACES).filter(({ owner }) => owner === 'project_id');

/** How files declare an entry. */
export interface EntryDeclaration {
  /** What the file calls it. */
  readonly name: string;
  readonly source: string;
  /** Whether the source has created the entry. */
  readonly isMade: boolean;
}

export interface DeclaredEntry extends EntryDeclaration {
  readonly id: number;
}

export interface DeclaredProjectEntry extends DeclaredEntry {
  readonly uuid: string;
  readonly ownerId: number;
  readonly projectName: string;
}

export interface DeclaredTokenEntry extends DeclaredEntry {
  readonly accountId: number;
}

/** A token of another program that a source has added. */
export interface DeclaredAlias {
  readonly uuid: string;
  readonly dialect: PingDialect;
  readonly digest: string;
  readonly projectId: number;
  /** Null: it stands for the ping key of the project. */
  readonly checkId: number | null;
  /** What the file calls the check. */
  readonly checkName: string | null;
}

const COLUMNS = `id, declared_as as name, coalesce(declared_by, '${DEFAULT_SOURCE}') as source, declared_made as "isMade"`;

export class SqlDeclarations extends Statements<Writer> {
  /**
   * Waits without a time limit until no other transaction on any node holds this lock. It is held until the transaction
   * ends.
   */
  async lock(): Promise<void> {
    if (this.dialect.beginProvisioning !== null) await this.db.script(this.dialect.beginProvisioning);
  }

  /** Entries that a file has declared. An account owns projects and tokens, and a project owns the rest. */
  async entriesOf(kind: DeclaredKind, ownerId: number): Promise<DeclaredEntry[]> {
    const { table, owner } = PLACES[kind];
    const rows = await this.db.all<DeclaredEntry>(
      `select ${COLUMNS} from ${table} where ${owner} = $1 and declared_as is not null`,
      [ownerId],
    );
    return rows.map((row) => ({ ...row, isMade: Boolean(row.isMade) }));
  }

  /** Those checks of the project that files declare by one of these names, or that have one of these ids. One may be there twice. */
  async checksAmong(
    projectId: number,
    { names, ids }: { readonly names: readonly string[]; readonly ids: readonly number[] },
  ): Promise<DeclaredEntry[]> {
    const rows = await this.db.all<Omit<DeclaredEntry, 'name'> & { name: string | null }>(
      `select ${COLUMNS} from checks where project_id = $1 and declared_as is not null
          and ${amongTexts(this.dialect, 'declared_as', '$2')}
        union all select ${COLUMNS} from checks where id ${this.dialect.inList('$3')}`,
      [projectId, textList(this.dialect, names), this.dialect.list(ids)],
    );
    return rows.flatMap(({ name, isMade, ...row }) =>
      name === null ? [] : [{ ...row, name, isMade: Boolean(isMade) }],
    );
  }

  /** How a file declares the check. Null if none does. */
  async ofCheck(id: number): Promise<EntryDeclaration | null> {
    const [row] = await this.db.all<Omit<DeclaredEntry, 'name'> & { name: string | null }>(
      `select ${COLUMNS} from checks where id = $1`,
      [id],
    );
    if (row === undefined || row.name === null) return null;
    return { name: row.name, source: row.source, isMade: Boolean(row.isMade) };
  }

  /** The projects that a source declares, in the order of their ids. */
  async projectsOf(source: string): Promise<DeclaredProjectEntry[]> {
    const rows = await this.db.all<DeclaredProjectEntry>(
      `select ${COLUMNS}, uuid, owner_id as "ownerId", projects.name as "projectName" from projects
        where declared_as is not null and deletes_at is null and coalesce(declared_by, '${DEFAULT_SOURCE}') = $1
        order by id`,
      [source],
    );
    return rows.map((row) => ({ ...row, isMade: Boolean(row.isMade) }));
  }

  /** Whether the project has anything that the source has not made. */
  hasOthers(projectId: number, source: string): Promise<boolean> {
    const notMade = 'declared_by is null or declared_by <> $2 or not declared_made';
    const others = IN_PROJECTS.map(
      ({ table }) => `exists (select 1 from ${table} where project_id = $1 and (${notMade})) or`,
    );
    return this.hasRow(
      `select 1 from projects where id = $1 and (${others.join('\n         ')}
         exists (select 1 from api_keys where project_id = $1 and made_by <> 'file'))`,
      [projectId, source],
    );
  }

  /** The tokens of accounts that a source declares. */
  async tokensOf(source: string): Promise<DeclaredTokenEntry[]> {
    const rows = await this.db.all<DeclaredTokenEntry>(
      `select ${COLUMNS}, account_id as "accountId" from account_tokens
        where declared_as is not null and coalesce(declared_by, '${DEFAULT_SOURCE}') = $1 order by id`,
      [source],
    );
    return rows.map((row) => ({ ...row, isMade: Boolean(row.isMade) }));
  }

  /** The tokens of other programs that a source has added. */
  async aliasesOf(source: string): Promise<DeclaredAlias[]> {
    return this.db.all(
      `select ping_aliases.uuid, dialect, token_digest as digest, check_id as "checkId", declared_as as "checkName",
              coalesce(ping_aliases.project_id, checks.project_id) as "projectId"
         from (select * from ping_aliases where declared_by = $1) as ping_aliases
         left join checks on checks.id = check_id order by ping_aliases.id`,
      [source],
    );
  }

  /** Notes that the source has added the alias. */
  async declareAlias(
    { dialect, digest }: Pick<DeclaredAlias, 'dialect' | 'digest'>,
    source: string,
  ): Promise<void> {
    await this.db.send('update ping_aliases set declared_by = $3 where token_digest = $1 and dialect = $2', [
      [digest, dialect, source],
    ]);
  }

  /** From now on the name in the file stands for this entry alone. */
  async declare(
    kind: DeclaredKind,
    ownerId: number,
    id: number,
    { name, source, isMade }: EntryDeclaration,
  ): Promise<void> {
    const { table, owner } = PLACES[kind];
    await this.db.send(
      `update ${table} set declared_as = null, declared_by = null, declared_made = false
        where ${owner} = $1 and declared_as = $2 and id <> $3`,
      [[ownerId, name, id]],
    );
    await this.db.send(
      `update ${table} set declared_as = $2, declared_by = $4, declared_made = $5 where ${owner} = $1 and id = $3`,
      [[ownerId, name, id, source, isMade]],
    );
  }

  /** Declares checks that the source has just made. */
  async declareNewChecks(
    projectId: number,
    source: string,
    checks: readonly Pick<DeclaredEntry, 'id' | 'name'>[],
  ): Promise<void> {
    if (!this.dialect.hasArrays) {
      for (const { id, name } of checks)
        await this.declare('check', projectId, id, { name, source, isMade: true });
      return;
    }
    const names = checks.map(({ name }) => name);
    await this.db.send(
      `update checks set declared_as = null, declared_by = null, declared_made = false
        where project_id = $1 and declared_as = any($2::text[])`,
      [[projectId, names]],
    );
    await this.db.send(
      `update checks set declared_as = new.name, declared_by = $4, declared_made = true
        from unnest($2::bigint[], $3::text[]) as new (id, name) where checks.id = new.id and project_id = $1`,
      [[projectId, checks.map(({ id }) => id), names, source]],
    );
  }

  /** The entry is people's own again. */
  async release(kind: DeclaredKind, id: number): Promise<void> {
    await this.db.send(
      `update ${PLACES[kind].table} set declared_as = null, declared_by = null, declared_made = false where id = $1`,
      [[id]],
    );
  }
}
