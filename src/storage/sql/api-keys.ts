import type { ApiKey, NewApiKey } from '../../domain/project.ts';
import type { Reader, Writer } from '../driver.ts';
import type { ApiKeyReads, ApiKeyWrites } from '../store.ts';
import { Table } from './table.ts';

const table = new Table<keyof NewApiKey>('api_keys', {
  projectId: 'project_id',
  kind: 'kind',
  name: 'name',
  lookup: 'lookup',
  digest: 'digest',
  createdAt: 'created_at',
});

export class SqlApiKeyReads implements ApiKeyReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async byLookup(lookup: string): Promise<ApiKey[]> {
    return this.#db.all(`select ${table.columns} from api_keys where lookup = $1`, [lookup]);
  }

  async ofProject(projectId: number): Promise<ApiKey[]> {
    return this.#db.all(`select ${table.columns} from api_keys where project_id = $1 order by id`, [
      projectId,
    ]);
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

  async delete(projectId: number, id: number): Promise<void> {
    await this.#db.send('delete from api_keys where project_id = $1 and id = $2', [[projectId, id]]);
  }
}
