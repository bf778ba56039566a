/** What a provisioning file can declare, apart from accounts and keys, which have names that nothing else may have. */
export type DeclaredKind = 'project' | 'channel' | 'check';

export interface DeclarationWrites {
  /** Waits, as long as it takes, until no other transaction on any node is past this point; then others wait. */
  lock(): Promise<void>;
  /** Entries that a file has declared, by what it calls them: checks and channels of a project, projects of an account. */
  idsOf(kind: DeclaredKind, ownerId: number): Promise<Map<string, number>>;
  /** The entry is what a file calls by that name, from now on it alone. */
  declare(kind: DeclaredKind, ownerId: number, name: string, id: number): Promise<void>;
}
