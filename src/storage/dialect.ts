import type { Value } from './value.ts';

export type Engine = 'sqlite' | 'postgres';

/** The few places where the engines need different words. */
export interface Dialect {
  readonly engine: Engine;
  /**
   * Appended to a select whose rows the transaction will change. Not as strong as `for update`, so that what
   * merely refers to the row, such as a new check to its project, need not wait. SQLite has one writer and
   * needs none.
   */
  readonly forUpdate: '' | 'for no key update';
  /** Completes a condition, `id ${inList('$1')}`: it holds for the values that `list` binds there. */
  inList(parameter: string): string;
  /** Any number of values as one parameter, so that the statement's text does not depend on how many. */
  list(values: readonly number[]): Value;
  /** Whether a parameter can be a whole column of values, to be unnested. */
  readonly hasArrays: boolean;
  /** What time the server has, as microseconds; null where there is no server. */
  readonly currentTime: string | null;
  /**
   * Run first in a migration: one process migrates, the others wait here, as long as it takes. After it nothing waits
   * for long for what others hold.
   */
  readonly beginMigration: string | null;
  /** Whether a statement has failed because others hold what it needs: they use it, and it is worth another try. */
  isLockTimeout(error: unknown): boolean;
  /** Run first in a transaction that applies a provisioning file: one process applies, the others wait here. */
  readonly beginProvisioning: string | null;
}
