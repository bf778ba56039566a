import { readdir, readFile } from 'node:fs/promises';
import type { Engine } from './dialect.ts';
import { schemaSql } from './schema-words.ts';

export interface Migration {
  version: number;
  name: string;
  /** Whether programs that do not know this version cannot work with the new schema. */
  breaking: boolean;
  /** For a contract step the first minor release whose programs survive it, `1.4`. Null for all others. */
  needs: string | null;
  /**
   * Whether all is one transaction. Otherwise its statements make indexes of large tables while others write, and each may be
   * repeated.
   */
  isAtomic: boolean;
  sql: string;
}

/**
 * The migrations: files `NNNN_name.sql`, in the words of the engine. The first one creates the schema of its version. The first
 * line of a file says whether older programs still work. If they do not, the second says from which minor release on they do.
 * A line `-- transaction: no` says that its statements only make indexes `{concurrently}`.
 */
export async function loadMigrations(engine: Engine): Promise<Migration[]> {
  const folder = new URL('./migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) =>
      parseMigration(file, schemaSql(engine, await readFile(new URL(file, folder), 'utf8'))),
    ),
  );
}

export function parseMigration(file: string, sql: string): Migration {
  const [, number, name] = /^(\d{4})_(\w+)\.sql$/.exec(file) ?? [];
  const [, breaking, needs = null] = /^-- breaking: (yes|no)\n(?:-- needs: (\d+\.\d+)\n)?/.exec(sql) ?? [];
  const isAtomic = !/^-- transaction: no$/m.test(sql);
  if (number === undefined || name === undefined)
    throw new Error(`migration ${file} is not named NNNN_name.sql`);
  if (breaking === undefined)
    throw new Error(`migration ${file} does not begin with "-- breaking: yes" or "no"`);
  if (needs !== null && breaking === 'no')
    throw new Error(`migration ${file} breaks nobody, so that there is no release that it needs`);
  return { version: Number(number), name, breaking: breaking === 'yes', needs, isAtomic, sql };
}

/** The name of its file, without the ending. */
export function fileNameOf({ version, name }: Pick<Migration, 'version' | 'name'>): string {
  return `${String(version).padStart(4, '0')}_${name}`;
}
