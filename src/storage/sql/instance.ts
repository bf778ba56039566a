import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { oneRow } from './table.ts';

const SELECT = 'select value from instance where key = $1';

export class SqlInstanceReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The size of the database on its disk. */
  async databaseBytes(): Promise<number> {
    const rows = await this.db.all<{ bytes: number }>(`select ${this.dialect.databaseBytes} as bytes`);
    return oneRow(rows).bytes;
  }

  async databaseVersion(): Promise<string> {
    const rows = await this.db.all<{ version: string }>(`select ${this.dialect.databaseVersion} as version`);
    return oneRow(rows).version;
  }

  /** The migrations that were applied. */
  async schemaVersions(): Promise<number[]> {
    const rows = await this.db.all<{ version: number }>('select version from schema_migrations');
    return rows.map(({ version }) => version);
  }

  /** About how many rows a table has. It takes the same time for any number. */
  async estimatedRows(table: 'checks' | 'projects'): Promise<number> {
    const rows = await this.db.all<{ rows: number | null }>(
      `select ${this.dialect.estimatedRows(table)} as rows`,
    );
    return oneRow(rows).rows ?? 0;
  }

  async get(key: string): Promise<string | null> {
    const [row] = await this.db.all<{ value: string }>(SELECT, [key]);
    return row?.value ?? null;
  }
}

export class SqlInstance extends SqlInstanceReads<Writer> {
  /** The value, which nobody else changes until the transaction ends. */
  async lock(key: string): Promise<string | null> {
    const [row] = await this.db.all<{ value: string }>(`${SELECT} ${this.dialect.forUpdate}`, [key]);
    return row?.value ?? null;
  }

  /** Sets the value unless there is one. Returns the value that is stored now. */
  async setOnce(key: string, value: string): Promise<string> {
    await this.db.send('insert into instance (key, value) values ($1, $2) on conflict (key) do nothing', [
      [key, value],
    ]);
    return oneRow(await this.db.all<{ value: string }>(SELECT, [key])).value;
  }

  async set(key: string, value: string): Promise<void> {
    await this.db.send(
      'insert into instance (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
      [[key, value]],
    );
  }

  async delete(key: string): Promise<void> {
    await this.db.send('delete from instance where key = $1', [[key]]);
  }
}
