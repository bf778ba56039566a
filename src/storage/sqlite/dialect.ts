import type { Dialect } from '../dialect.ts';

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  forUpdate: '',
  hasArrays: false,
  // `begin immediate` already keeps other processes out.
  beginMigration: null,
};
