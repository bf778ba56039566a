import type { Dialect } from '../dialect.ts';
import type { Writer } from '../driver.ts';
import type { DeclarationWrites, DeclaredKind } from '../store.ts';

/** The table and the owner's column for each kind of entry. */
const PLACES: Record<DeclaredKind, { table: string; owner: string }> = {
  project: { table: 'projects', owner: 'owner_id' },
  channel: { table: 'channels', owner: 'project_id' },
  check: { table: 'checks', owner: 'project_id' },
};

export class SqlDeclarations implements DeclarationWrites {
  readonly #db: Writer;
  readonly #dialect: Dialect;

  constructor(db: Writer, dialect: Dialect) {
    this.#db = db;
    this.#dialect = dialect;
  }

  async lock(): Promise<void> {
    if (this.#dialect.beginProvisioning !== null) await this.#db.script(this.#dialect.beginProvisioning);
  }

  async idsOf(kind: DeclaredKind, ownerId: number): Promise<Map<string, number>> {
    const { table, owner } = PLACES[kind];
    const rows = await this.#db.all<{ id: number; name: string }>(
      `select id, declared_as as name from ${table} where ${owner} = $1 and declared_as is not null`,
      [ownerId],
    );
    return new Map(rows.map(({ id, name }) => [name, id]));
  }

  async release(otherThan: readonly number[]): Promise<string[]> {
    const rows = await this.#db.all<{ id: number; name: string }>(
      'select id, declared_as as name from projects where declared_as is not null',
      [],
    );
    const released = rows.filter(({ id }) => !otherThan.includes(id));
    for (const { id } of released)
      await this.#db.send('update projects set declared_as = null where id = $1', [[id]]);
    return released.map(({ name }) => name);
  }

  async declare(kind: DeclaredKind, ownerId: number, name: string, id: number): Promise<void> {
    const { table, owner } = PLACES[kind];
    await this.#db.send(
      `update ${table} set declared_as = null where ${owner} = $1 and declared_as = $2 and id <> $3`,
      [[ownerId, name, id]],
    );
    await this.#db.send(`update ${table} set declared_as = $2 where ${owner} = $1 and id = $3`, [
      [ownerId, name, id],
    ]);
  }
}
