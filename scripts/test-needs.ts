/** The preconditions of tests, read from the imports of their files. A test of a pure function needs nothing. */
import { readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';

export interface Needs {
  /** PostgreSQL, and a migrated file of SQLite. */
  readonly databases: boolean;
  /** The built pages of the dashboard. */
  readonly pages: boolean;
}

/** Importing one of these files means the need. */
const MARKS: Readonly<Record<keyof Needs, readonly string[]>> = {
  databases: ['test/engines.ts', 'test/postgres.ts'],
  pages: ['test/process.ts', 'test/browser/visit.ts', 'scripts/pages.ts', 'src/cli/serve.ts'],
};

/** An import or a re-export of a file of ours. */
const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*['"`](\.[^'"`]+)['"`]/g;
/** An import whose file is known only when it runs. */
const COMPUTED_IMPORT = /\bimport\((?!\s*['"`])/;

/** `files` are paths from the root. Types are followed too: a file with the type of an app mostly has one. */
export function needsOf(root: string, files: readonly string[]): Needs {
  const seen = new Set(files);
  let isUnknown = false;
  for (const file of seen) {
    const text = readText(posix.join(root, file));
    // A long form imports tests by their folder.
    isUnknown ||= COMPUTED_IMPORT.test(text);
    for (const [, specifier = ''] of text.matchAll(IMPORT)) {
      seen.add(posix.join(posix.dirname(file), specifier));
    }
  }
  const needs = (marks: readonly string[]) => isUnknown || marks.some((mark) => seen.has(mark));
  return { databases: needs(MARKS.databases), pages: needs(MARKS.pages) };
}

function readText(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : '';
}
