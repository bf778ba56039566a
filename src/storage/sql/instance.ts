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

  async get(key: string): Promise<string | null> {
    const [row] = await this.db.all<{ value: string }>(SELECT, [key]);
    return row?.value ?? null;
  }
}

export class SqlInstance extends SqlInstanceReads<Writer> {
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
