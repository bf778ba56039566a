/** A migration and its place among all that the program knows. */
export interface NamedMigration {
  readonly number: number;
  readonly of: number;
  /** The name of its file, `0012_links`. */
  readonly name: string;
}

/** Progress for operators while a database is opened and migrated: an event of the log, with its fields. */
export type StorageProgress =
  /** The database cannot be used just now, and is tried again. */
  | {
      readonly event: 'database.waiting';
      readonly database: string;
      readonly seconds: number;
      readonly reason: string;
    }
  /** It can be used again. */
  | { readonly event: 'database.answering'; readonly database: string; readonly seconds: number }
  /** Another process migrates. */
  | { readonly event: 'migration.queued'; readonly seconds: number }
  | { readonly event: 'migration.started'; readonly migration: NamedMigration }
  /** Before this step the database is copied. */
  | {
      readonly event: 'migration.copying';
      readonly migration: NamedMigration;
      readonly percent: number;
    }
  | {
      readonly event: 'migration.running';
      readonly migration: NamedMigration;
      readonly seconds: number;
      /** What the server says of it, `building index, 61 %`. Null: nothing. */
      readonly phase: string | null;
    }
  | { readonly event: 'migration.finished'; readonly migration: NamedMigration; readonly seconds: number }
  /** Another session uses a table that the migration needs. It is tried again after a pause. */
  | {
      readonly event: 'migration.waiting';
      readonly migration: NamedMigration | null;
      readonly pauseSeconds: number;
      readonly reason: string;
      /** The sessions for which it waits, after many tries. Null: it was not asked for them. */
      readonly blockedBy: string | null;
    };

/** Whether something outside the program has to happen before it goes on. */
export function isWaiting({ event }: StorageProgress): boolean {
  return event === 'database.waiting' || event === 'migration.waiting';
}

export function describeProgress(progress: StorageProgress): string {
  switch (progress.event) {
    case 'database.waiting':
      return `waiting for ${progress.database}, ${progress.seconds} s so far: ${progress.reason}`;
    case 'database.answering':
      return `${progress.database} answers after ${progress.seconds} s`;
    case 'migration.queued':
      return `another process migrates the database, waiting for it, ${progress.seconds} s so far`;
    case 'migration.started':
      return titleOf(progress.migration);
    case 'migration.copying':
      return `migration ${progress.migration.number} of ${progress.migration.of}, copying, ${progress.percent} %`;
    case 'migration.running':
      return `${titleOf(progress.migration)}, ${progress.phase === null ? '' : `${progress.phase}, `}running for ${progress.seconds} s`;
    case 'migration.finished':
      return `${titleOf(progress.migration)}, took ${progress.seconds} s`;
    case 'migration.waiting':
      return `${titleOf(progress.migration)}, another session uses a table that it needs, next try in ${progress.pauseSeconds} s: ${progress.reason}${progress.blockedBy === null ? '' : `; blocked by ${progress.blockedBy}`}`;
  }
}

function titleOf(migration: NamedMigration | null): string {
  return migration === null
    ? 'migration'
    : `migration ${migration.number} of ${migration.of}: ${migration.name}`;
}

/** The same for anybody: without addresses, and without what a server has said. */
export function publicProgress(progress: StorageProgress): string {
  switch (progress.event) {
    case 'database.waiting':
      return `waiting for the database, ${progress.seconds} s so far`;
    case 'database.answering':
      return 'the database answers';
    case 'migration.waiting':
      return `${titleOf(progress.migration)}, waiting for a table`;
    case 'migration.queued':
    case 'migration.started':
    case 'migration.copying':
    case 'migration.running':
    case 'migration.finished':
      return describeProgress(progress);
  }
}
