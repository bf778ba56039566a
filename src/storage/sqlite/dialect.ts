import type { Dialect } from '../dialect.ts';

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  forUpdate: '',
  forDelete: '',
  hasArrays: false,
  inList: (parameter) => `in (select value from json_each(${parameter}))`,
  list: (values) => JSON.stringify(values),
  currentTime: null,
  // `begin immediate` already keeps other processes out.
  beginMigration: null,
  isLockTimeout: () => false,
  stepReports: null,
  beginProvisioning: null,
  databaseBytes: '(select page_count from pragma_page_count()) * (select page_size from pragma_page_size())',
  databaseVersion: 'sqlite_version()',
  // Some of the ids in between are free again.
  estimatedRows: (table) => `(select max(id) from ${table}) - (select min(id) from ${table}) + 1`,
};
