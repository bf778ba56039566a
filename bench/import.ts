/**
 * The cost of importing a large installation of Healthchecks: 100,000 checks and 1,000,000 pings of 200 bytes, from SQLite. First
 * the configuration alone, then the pings. Seconds of the processor tell more than the clock of a busy machine.
 *
 *     node bench/import.ts [--postgres] [--checks=100000] [--pings=10]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeLargeHealthchecks } from '../test/import/large-healthchecks.ts';
import { runCommand } from './lib/command.ts';
import { type BenchDatabase, createBenchDatabase } from './lib/database.ts';
import { printTable } from './lib/table.ts';

interface Options {
  readonly postgres: boolean;
  readonly checks: number;
  /** Pings of each check. */
  readonly pings: number;
}

export default async function run(
  { postgres, checks, pings }: Options = { postgres: false, checks: 100_000, pings: 10 },
): Promise<void> {
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  const source = join(database.folder, 'hc.sqlite');
  writeLargeHealthchecks(source, checks, pings);
  const rows: string[][] = [];
  for (const [name, history] of [
    ['configuration', 'none'],
    ['pings', 'all'],
  ] as const) {
    const { seconds, processor, megabytes } = await importAll(database, source, history);
    const rate = history === 'none' ? '' : `${Math.round((checks * pings) / seconds)}`;
    rows.push([name, seconds.toFixed(1), processor.toFixed(1), megabytes.toFixed(0), rate]);
  }
  const engine = postgres ? 'PostgreSQL' : 'SQLite';
  console.log(`${engine}, ${checks} checks with ${pings} pings each, Node ${process.version}`);
  printTable(['', 's', 's of the processor', 'MB', 'pings/s'], rows);
}

function importAll(database: BenchDatabase, source: string, history: 'none' | 'all') {
  const args = ['import', 'healthchecks', '--database', source, '--apply', '--history', history];
  return runCommand(database, args);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      postgres: { type: 'boolean', default: false },
      checks: { type: 'string', default: '100000' },
      pings: { type: 'string', default: '10' },
    },
  });
  await run({ postgres: values.postgres, checks: Number(values.checks), pings: Number(values.pings) });
}
