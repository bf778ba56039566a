import { USED_EVERY } from '../../domain/people/api-key.ts';
import {
  type Dialects,
  decodeDialects,
  encodeDialects,
  formsAccepting,
  type NewPingAlias,
  type PingAlias,
  type PingDialect,
} from '../../domain/ping/dialect.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { sendForAll, Table, unnest } from './table.ts';

/** A project that pings of another program may be for. */
export interface DialectProject {
  readonly projectId: number;
  readonly pingKeyDigest: string | null;
  readonly dialects: Dialects;
}

/** An alias, as far as pings need it. */
export interface KnownAlias extends DialectProject {
  readonly id: number;
  readonly dialect: PingDialect;
  readonly digest: string;
  /** The check that it stands for. Null if it stands for the ping key of the project. */
  readonly uuid: string | null;
  readonly lastUsedAt: Instant | null;
}

const table = new Table<keyof NewPingAlias>('ping_aliases', {
  uuid: 'uuid',
  dialect: 'dialect',
  tokenDigest: 'token_digest',
  tokenSealed: 'token_sealed',
  checkId: 'check_id',
  projectId: 'project_id',
  createdAt: 'created_at',
  lastUsedAt: 'last_used_at',
});

type Row<T> = Omit<T, 'dialects'> & { readonly dialects: string | null };

const PROJECT = 'projects.id as "projectId", projects.ping_key_digest as "pingKeyDigest", projects.dialects';

const KNOWN = `ping_aliases.id, dialect, token_digest as digest, last_used_at as "lastUsedAt", ${PROJECT}`;

/** A column of a statement on checks, on PostgreSQL: the aliases of the check with the digests of the parameter. */
export const aliasesAmong = (parameter: string): string =>
  `(select json_agg(known) from (select ${KNOWN} from ping_aliases join projects on projects.id = checks.project_id
     where check_id = checks.id and token_digest = any(${parameter})) as known) as aliases`;

export type AliasesOfCheck = readonly Row<Omit<KnownAlias, 'uuid'>>[] | null;

export class SqlPingAliasReads<Db extends Reader = Reader> extends Statements<Db> {
  /** Whether any project accepts the dialect. */
  async isDialectUsed(dialect: PingDialect): Promise<boolean> {
    const forms = formsAccepting(dialect);
    const parameters = forms.map((_, index) => `$${index + 1}`).join(', ');
    return this.hasRow(
      `select 1 from projects where dialects is not null and dialects in (${parameters}) limit 1`,
      forms,
    );
  }

  async dialectsOf(projectId: number): Promise<Dialects> {
    const row = await this.first<{ dialects: string | null }>('select dialects from projects where id = $1', [
      projectId,
    ]);
    return decodeDialects(row?.dialects ?? null);
  }

  /** In order of creation. */
  async ofCheck(checkId: number): Promise<PingAlias[]> {
    return this.db.all(`select ${table.columns} from ping_aliases where check_id = $1 order by id`, [
      checkId,
    ]);
  }

  /** Those that stand for its ping key, in order of creation. */
  async ofProject(projectId: number): Promise<PingAlias[]> {
    return this.db.all(`select ${table.columns} from ping_aliases where project_id = $1 order by id`, [
      projectId,
    ]);
  }

  /** Aliases after that id, in the order of their ids, at most `most`. */
  async page(afterId: number, most: number): Promise<PingAlias[]> {
    return this.db.all(`select ${table.columns} from ping_aliases where id > $1 order by id limit $2`, [
      afterId,
      most,
    ]);
  }
}

export class SqlPingAliases extends SqlPingAliasReads<Writer> {
  /** The aliases of all checks of the project, in order of creation. */
  async ofChecksIn(projectId: number): Promise<PingAlias[]> {
    return this.db.all(
      `select ${table.columns} from ping_aliases
        where check_id in (select id from checks where project_id = $1) order by id`,
      [projectId],
    );
  }

  /** The aliases with these digests of tokens, of all dialects. */
  async byDigests(digests: readonly string[]): Promise<KnownAlias[]> {
    const { wanted, params } = this.#among(digests);
    const rows = await this.db.all<Row<KnownAlias>>(
      `select ${KNOWN}, checks.uuid
         from ping_aliases left join checks on checks.id = ping_aliases.check_id
              join projects on projects.id = coalesce(ping_aliases.project_id, checks.project_id)
        where token_digest ${wanted}`,
      params,
    );
    return rows.map(withDialects);
  }

  /** The projects with these digests of ping keys. */
  async projectsByPingKeys(digests: readonly string[]): Promise<DialectProject[]> {
    const { wanted, params } = this.#among(digests);
    const rows = await this.db.all<Row<DialectProject>>(
      `select ${PROJECT} from projects where ping_key_digest ${wanted}`,
      params,
    );
    return rows.map(withDialects);
  }

  #among(texts: readonly string[]): { wanted: string; params: [string[] | string] } {
    return this.dialect.hasArrays
      ? { wanted: '= any($1::text[])', params: [[...texts]] }
      : { wanted: 'in (select value from json_each($1))', params: [JSON.stringify(texts)] };
  }

  async setDialects(projectId: number, dialects: Dialects): Promise<void> {
    await this.db.send('update projects set dialects = $2 where id = $1', [
      [projectId, encodeDialects(dialects)],
    ]);
  }

  /** Fails with a conflict if the dialect has the token already. */
  async insert(alias: NewPingAlias): Promise<PingAlias> {
    return { ...alias, id: await table.add(this.db, alias) };
  }

  async delete(id: number): Promise<void> {
    await this.db.send('delete from ping_aliases where id = $1', [[id]]);
  }

  /** Writes when aliases were last used, at most once a minute for each. */
  async noteUses(ids: readonly number[], at: Instant): Promise<void> {
    const statements = {
      one: `update ping_aliases set last_used_at = $2
             where id = $1 and (last_used_at is null or last_used_at + ${USED_EVERY} <= $2)`,
      many: `update ping_aliases set last_used_at = used.at from ${unnest(['bigint', 'bigint'])} as used (id, at)
              where ping_aliases.id = used.id
                and (last_used_at is null or last_used_at + ${USED_EVERY} <= used.at)`,
    };
    await sendForAll(
      this.db,
      this.dialect,
      statements,
      ids.map((id) => [id, at]),
    );
  }

  async reseal({ id, tokenSealed }: PingAlias, sealed: string): Promise<void> {
    await this.db.send('update ping_aliases set token_sealed = $3 where id = $1 and token_sealed = $2', [
      [id, tokenSealed, sealed],
    ]);
  }
}

export function withDialects<T>(
  row: T & { readonly dialects: string | null },
): Omit<T, 'dialects'> & { dialects: Dialects } {
  return { ...row, dialects: decodeDialects(row.dialects) };
}
