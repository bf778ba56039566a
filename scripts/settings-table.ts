/** Writes the table of settings into docs/operating.md: `npm run settings`. A test fails where page and code differ. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { SETTINGS } from '../src/config/settings.ts';
import type { EnvSettingTable } from '../src/lib/env-setting.ts';
import { withTable } from './generated-table.ts';

export const PAGE = join(dirname(import.meta.dirname), 'docs/operating.md');
const settings: EnvSettingTable = SETTINGS;

export async function readPage(): Promise<string> {
  return readFile(PAGE, 'utf8');
}

/** The page with the table that follows from the code. */
export function withSettings(page: string): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const fallback = setting.default === null ? 'none' : `\`${setting.default}\``;
    return `| \`${name}\`${setting.secret ? ' (S)' : ''} | ${setting.defaultNote ?? fallback} | ${setting.doc} |`;
  });
  return withTable(page, 'npm run settings', ['| Variable | Default | Meaning |', '|---|---|---|', ...rows]);
}

if (import.meta.main) await writeFile(PAGE, withSettings(await readPage()));
