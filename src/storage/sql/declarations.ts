import type { Writer } from '../driver.ts';
import { Statements } from './statements.ts';

/** The kinds that a provisioning file can declare, except accounts and keys: those have unique names of their own. */
export type DeclaredKind = 'project' | 'channel' | 'check';

/** The table and the owner's column for each kind of entry. */
const PLACES: Record<DeclaredKind, { table: string; owner: string }> = {
  project: { table: 'projects', owner: 'owner_id' },
  channel: { table: 'channels', owner: 'project_id' },
  check: { table: 'checks', owner: 'project_id' },
};

export class SqlDeclarations extends Statements<Writer> {
  /**
   * Waits without a time limit until no other transaction on any node holds this lock. It is held until the transaction
   * ends.
   */
  async lock(): Promise<void> {
    if (this.dialect.beginProvisioning !== null) await this.db.script(this.dialect.beginProvisioning);
  }

  /**
   * Entries that a file has declared, by their names in the file. A project owns checks and channels; an account owns
   * projects.
   */
  async idsOf(kind: DeclaredKind, ownerId: number): Promise<Map<string, number>> {
    const { table, owner } = PLACES[kind];
    const rows = await this.db.all<{ id: number; name: string }>(
      `select id, declared_as as name from ${table} where ${owner} = $1 and declared_as is not null`,
      [ownerId],
    );
    return new Map(rows.map(({ id, name }) => [name, id]));
  }

  /** All other projects are declared by no file any more. Returns what files have called them. */
  async release(otherThan: readonly number[]): Promise<string[]> {
    const rows = await this.db.all<{ id: number; name: string }>(
      'select id, declared_as as name from projects where declared_as is not null',
      [],
    );
    const released = rows.filter(({ id }) => !otherThan.includes(id));
    for (const { id } of released)
      await this.db.send('update projects set declared_as = null where id = $1', [[id]]);
    return released.map(({ name }) => name);
  }

  /** From now on the name in the file stands for this entry alone. */
  async declare(kind: DeclaredKind, ownerId: number, name: string, id: number): Promise<void> {
    const { table, owner } = PLACES[kind];
    await this.db.send(
      `update ${table} set declared_as = null where ${owner} = $1 and declared_as = $2 and id <> $3`,
      [[ownerId, name, id]],
    );
    await this.db.send(`update ${table} set declared_as = $2 where ${owner} = $1 and id = $3`, [
      [ownerId, name, id],
    ]);
  }
}
