import type { Value } from './value.ts';

/** Statements about a step that takes long, to be asked on another session. */
export interface StepReports {
  /** Its phase, and the percentage that is done if the server knows it. */
  readonly progress: string;
  /** The number of the session that asks. */
  readonly session: string;
  /** The sessions for which the session `$1` waits. */
  readonly blockers: string;
}

export type Engine = 'sqlite' | 'postgres';

/** The few places where the SQL of the two engines differs. */
export interface Dialect {
  readonly engine: Engine;
  /**
   * Appended to a select whose rows the transaction will change. It is weaker than `for update`: a transaction that
   * only refers to the row, such as a new check to its project, does not wait. SQLite has one writer and needs no lock.
   */
  readonly forUpdate: '' | 'for no key update';
  /** Appended to a select whose rows the transaction will delete. Transactions that refer to the row wait, too. */
  readonly forDelete: '' | 'for update';
  /**
   * Completes a condition, `id ${inList('$1')}`. The condition is true for the values that `list` binds to the
   * parameter.
   */
  inList(parameter: string): string;
  /** Binds any number of values as one parameter. So the text of the statement does not depend on their number. */
  list(values: readonly number[]): Value;
  /** Whether a parameter can be an array, to be unnested into a column. */
  readonly hasArrays: boolean;
  /** An expression for the time of the database server, in microseconds. Null for SQLite, which has no server. */
  readonly currentTime: string | null;
  /**
   * Runs first in a migration. One process migrates; the others wait here without a time limit. The statements after it
   * wait only briefly for locks.
   */
  readonly beginMigration: string | null;
  /** Whether a statement failed because others hold a lock that it needs. The caller tries such a statement again. */
  isLockTimeout(error: unknown): boolean;
  /** What the server says about long steps. Null for SQLite, which has no server. */
  readonly stepReports: StepReports | null;
  /** Runs first in a transaction that applies a provisioning file. One process applies it; the others wait here. */
  readonly beginProvisioning: string | null;
  /** An expression for the bytes that the database takes on its disk. */
  readonly databaseBytes: string;
  /** An expression for the version of the engine. */
  readonly databaseVersion: string;
  /** An expression for about how many rows a table has. It takes the same time for any number. */
  estimatedRows(table: string): string;
}
