import { readdirSync, readFileSync } from 'node:fs';

const MIGRATIONS = new URL('../migrations/', import.meta.url);

/** All tables of Tocsin: those that migrations create. A file may have other tables that we do not know. */
export const TABLES: readonly string[] = readdirSync(MIGRATIONS)
  .filter((file) => file.endsWith('.sql'))
  .flatMap((file) => [...readFileSync(new URL(file, MIGRATIONS), 'utf8').matchAll(/^create table (\w+)/gm)])
  .map(([, name = '']) => name)
  .concat('schema_migrations')
  .toSorted();
