export type Engine = 'sqlite' | 'postgres';

/** The few places where the engines need different words. */
export interface Dialect {
  readonly engine: Engine;
  /** Appended to a select whose rows the transaction will change. SQLite has one writer and needs none. */
  readonly forUpdate: '' | 'for update';
  /** Run first in a migration: one process migrates, the others wait here. */
  readonly beginMigration: string | null;
}
