/** Writes the rows of `tocsin doctor` into docs/operating.md: `npm run doctor:table`. A test fails where page and code differ. */
import { writeFile } from 'node:fs/promises';
import { ROWS } from '../src/doctor/rows.ts';
import { withTable } from './generated-table.ts';
import { PAGE, readPage } from './settings-table.ts';

/** The page with the table that follows from the code. */
export function withRows(page: string): string {
  const rows = ROWS.map(
    ({ name, looksAt, fails, warns }) => `| \`${name}\` | ${looksAt} | ${fails ?? '–'} | ${warns ?? '–'} |`,
  );
  return withTable(page, 'npm run doctor:table', [
    '| Row | Looks at | Fails | Warns |',
    '|---|---|---|---|',
    ...rows,
  ]);
}

if (import.meta.main) await writeFile(PAGE, withRows(await readPage()));
