/** The kinds that a provisioning file can declare, except accounts and keys: those have unique names of their own. */
export type DeclaredKind = 'project' | 'channel' | 'check';

export interface DeclarationWrites {
  /**
   * Waits without a time limit until no other transaction on any node holds this lock. It is held until the transaction
   * ends.
   */
  lock(): Promise<void>;
  /**
   * Entries that a file has declared, by their names in the file. The owner of checks and channels is a project, that
   * of projects an account.
   */
  idsOf(kind: DeclaredKind, ownerId: number): Promise<Map<string, number>>;
  /** From now on the name in the file stands for this entry alone. */
  declare(kind: DeclaredKind, ownerId: number, name: string, id: number): Promise<void>;
  /** All other projects are declared by no file any more. Returns what files have called them. */
  release(otherThan: readonly number[]): Promise<string[]>;
}
