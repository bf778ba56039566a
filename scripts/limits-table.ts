/** Writes the table of limits into docs/security.md: `npm run limits`. A test fails where page and code differ. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withTable } from './generated-table.ts';
import { LIMITS, type Limit, type Unit } from './limits.ts';

const PAGE = join(dirname(import.meta.dirname), 'docs/security.md');

export async function readPage(): Promise<string> {
  return readFile(PAGE, 'utf8');
}

/** The page with the table that follows from the code. */
export function withLimits(page: string): string {
  const rows = Object.entries(LIMITS).flatMap(([title, limits]) => [
    `| **${title}** | | | |`,
    ...limits.map(rowOf),
  ]);
  const head = ['| What | Limit | Its name | Beyond it |', '|---|---|---|---|'];
  return withTable(page, 'npm run limits', [...head, ...rows]);
}

function rowOf({ what, value, unit, name, file, beyond }: Limit): string {
  const owner = file === null ? `[\`${name}\`](operating.md#settings)` : `\`${name}\` in \`${file}\``;
  return `| ${what} | ${withUnit(value, unit)} | ${owner} | ${beyond} |`;
}

const SIZES = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [1, 'bytes'],
] as const;
const SPANS = [
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
] as const;

export function withUnit(value: number, unit: Unit): string {
  if (unit === 'bytes') return inLargest(SIZES, value);
  if (unit === 'ms') return inLargest(SPANS, value);
  if (unit === 'seconds') return inLargest(SPANS, value * 1_000);
  return `${value.toLocaleString('en')} ${unit}`.trimEnd();
}

/** In the largest unit in which the number has one digit behind the point at the most. */
function inLargest(units: readonly (readonly [size: number, name: string])[], value: number): string {
  const [size, name] = units.find(([size]) => value >= size && (value * 10) % size === 0) ?? [1, ''];
  return `${(value / size).toLocaleString('en')} ${name}`;
}

if (import.meta.main) await writeFile(PAGE, withLimits(await readPage()));
