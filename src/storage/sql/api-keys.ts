import { FOREIGN_SECRET_ID } from '../../domain/people/api-key.ts';
import type { ApiKey, NewApiKey } from '../../domain/people/project.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { isLive } from './membership.ts';
import { Statements } from './statements.ts';
import { Table } from './table.ts';
import { type Use, writeUses } from './uses.ts';

/** The part of a key that a request needs. */
export interface KnownApiKey
  extends Pick<
    ApiKey,
    'id' | 'projectId' | 'kind' | 'name' | 'digest' | 'secretId' | 'expiresAt' | 'lastUsedAt'
  > {
  /** The account that owns the project. */
  readonly ownerId: number;
}

export interface ListedApiKey extends ApiKey {
  /** The account that made it, if it exists. */
  readonly makerEmail: string | null;
}

export interface ForeignApiKey extends Pick<ApiKey, 'kind' | 'lookup' | 'madeBy'> {
  readonly projectName: string;
}

const table = new Table<keyof NewApiKey>('api_keys', {
  uuid: 'uuid',
  projectId: 'project_id',
  kind: 'kind',
  name: 'name',
  lookup: 'lookup',
  digest: 'digest',
  secretId: 'secret_id',
  createdAt: 'created_at',
  madeBy: 'made_by',
  makerId: 'maker_id',
  expiresAt: 'expires_at',
  lastUsedAt: 'last_used_at',
  lastUsedAddr: 'last_used_addr',
});

/** The columns of `KnownApiKey`. */
const known = `${table.columnsOf([
  'projectId',
  'kind',
  'name',
  'digest',
  'secretId',
  'expiresAt',
  'lastUsedAt',
])}, (select owner_id from projects where projects.id = project_id) as "ownerId"`;

export class SqlApiKeyReads<Db extends Reader = Reader> extends Statements<Db> {
  /**
   * Keys with the same look-up characters, in any project that is not deleted, expired or not. The caller compares
   * digests.
   */
  async byLookup(lookup: string): Promise<KnownApiKey[]> {
    return this.db.all(
      `select ${known} from api_keys where lookup = $1 and ${isLive('api_keys.project_id')}`,
      [lookup],
    );
  }

  /** Also in deleted projects. */
  async anyByLookup(lookup: string): Promise<KnownApiKey[]> {
    return this.db.all(`select ${known} from api_keys where lookup = $1`, [lookup]);
  }

  /** In order of creation. */
  async ofProject(projectId: number): Promise<ApiKey[]> {
    return this.db.all(`select ${table.columns} from api_keys where project_id = $1 order by id`, [
      projectId,
    ]);
  }

  /** With the names of their makers. */
  async listOf(projectId: number): Promise<ListedApiKey[]> {
    return this.db.all(
      `select ${table.columns}, (select email from accounts where accounts.id = maker_id) as "makerEmail"
         from api_keys where project_id = $1 order by id`,
      [projectId],
    );
  }

  /** The number of keys whose digest was made under an earlier secret of the server, or under an unknown one. */
  async countOfOtherSecrets(secretId: string): Promise<number> {
    return this.counted(
      'select count(*) as count from api_keys where secret_id is null or secret_id not in ($1, $2)',
      [secretId, FOREIGN_SECRET_ID],
    );
  }

  /** The keys whose digest was made under a secret of another program, with the names of their projects. */
  async ofForeignSecrets(): Promise<ForeignApiKey[]> {
    return this.db.all(
      `select api_keys.kind, api_keys.lookup, api_keys.made_by as "madeBy", projects.name as "projectName"
         from api_keys join projects on projects.id = api_keys.project_id
        where api_keys.secret_id = $1 order by projects.id, api_keys.id`,
      [FOREIGN_SECRET_ID],
    );
  }
}

export class SqlApiKeys extends SqlApiKeyReads<Writer> {
  async insert(key: NewApiKey): Promise<ApiKey> {
    return { ...key, id: await table.add(this.db, key) };
  }

  /** Replaces the digest, unless it was changed meanwhile. */
  async setDigest(
    { id, digest }: Pick<ApiKey, 'id' | 'digest'>,
    made: { digest: string; secretId: string },
  ): Promise<void> {
    await this.db.send('update api_keys set digest = $3, secret_id = $4 where id = $1 and digest = $2', [
      [id, digest, made.digest, made.secretId],
    ]);
  }

  /** Null: it never expires. */
  async setExpiry(id: number, expiresAt: Instant | null): Promise<void> {
    await this.db.send('update api_keys set expires_at = $2 where id = $1', [[id, expiresAt]]);
  }

  /** Writes when keys were last used, at most once a minute for each. Keys that are gone are left out. */
  async noteUses(uses: readonly Use[]): Promise<void> {
    await writeUses(this.db, this.dialect, 'api_keys', uses);
  }

  async delete(projectId: number, id: number): Promise<void> {
    await this.db.send('delete from api_keys where project_id = $1 and id = $2', [[projectId, id]]);
  }

  /** Deletes the keys that the account has made, in all projects. Returns their number. */
  async deleteOfMaker(makerId: number): Promise<number> {
    return this.db.run('delete from api_keys where maker_id = $1', [makerId]);
  }

  /** Deletes keys of the project that expired before that time. */
  async deleteExpired(projectId: number, before: Instant): Promise<void> {
    await this.db.send('delete from api_keys where project_id = $1 and expires_at < $2', [
      [projectId, before],
    ]);
  }
}
