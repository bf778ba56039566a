import type { ApiKey, NewApiKey } from '../../domain/project.ts';
import type { Reader, Writer } from '../driver.ts';
import type { ApiKeyReads, ApiKeyWrites } from '../store.ts';
import { isLive } from './membership.ts';
import { Table } from './table.ts';

const table = new Table<keyof NewApiKey>('api_keys', {
  projectId: 'project_id',
  kind: 'kind',
  name: 'name',
  lookup: 'lookup',
  digest: 'digest',
  secretId: 'secret_id',
  createdAt: 'created_at',
});

export class SqlApiKeyReads implements ApiKeyReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async byLookup(lookup: string): Promise<ApiKey[]> {
    return this.#db.all(
      `select ${table.columns} from api_keys where lookup = $1 and ${isLive('api_keys.project_id')}`,
      [lookup],
    );
  }

  async anyByLookup(lookup: string): Promise<ApiKey[]> {
    return this.#db.all(`select ${table.columns} from api_keys where lookup = $1`, [lookup]);
  }

  async ofProject(projectId: number): Promise<ApiKey[]> {
    return this.#db.all(`select ${table.columns} from api_keys where project_id = $1 order by id`, [
      projectId,
    ]);
  }

  async countOfOtherSecrets(secretId: string): Promise<number> {
    const [row] = await this.#db.all<{ count: number }>(
      'select count(*) as count from api_keys where secret_id is null or secret_id <> $1',
      [secretId],
    );
    return row?.count ?? 0;
  }
}

export class SqlApiKeys extends SqlApiKeyReads implements ApiKeyWrites {
  readonly #db: Writer;

  constructor(db: Writer) {
    super(db);
    this.#db = db;
  }

  async insert(key: NewApiKey): Promise<ApiKey> {
    return { ...key, id: await table.add(this.#db, key) };
  }

  async setDigest({ id, digest }: ApiKey, made: { digest: string; secretId: string }): Promise<void> {
    await this.#db.send('update api_keys set digest = $3, secret_id = $4 where id = $1 and digest = $2', [
      [id, digest, made.digest, made.secretId],
    ]);
  }

  async delete(projectId: number, id: number): Promise<void> {
    await this.#db.send('delete from api_keys where project_id = $1 and id = $2', [[projectId, id]]);
  }
}
