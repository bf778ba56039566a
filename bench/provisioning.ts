/**
 * The cost of files with 100,000 checks: time and memory of `tocsin apply` on an empty installation, and on one that is as they
 * say. On PostgreSQL the service runs meanwhile: how fast its pings are alone, and beside each run.
 *
 *     node bench/provisioning.ts [--postgres] [--checks=100000]
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillChecks, uuidOf } from './lib/checks.ts';
import { runCommand } from './lib/command.ts';
import { type BenchDatabase, createBenchDatabase } from './lib/database.ts';
import { loadAtRate } from './lib/load.ts';
import { median, printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const OWNER = 'bench@example.org';
const FILES = 60;
const LIMITS = { checks: 1_000_000, pings: 100 };
const PINGED = { accounts: [{ email: OWNER, limits: LIMITS }], projects: [{ name: 'Bench', owner: OWNER }] };
const PINGED_CHECKS = 1_000;
const PINGS_PER_SECOND = 300;
const SECONDS_ALONE = 10;

interface Options {
  readonly postgres: boolean;
  readonly checks: number;
}

export default async function run(
  { postgres, checks }: Options = { postgres: false, checks: 100_000 },
): Promise<void> {
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  const folder = await writeFiles(database, checks);
  const rows: string[][] = [];
  const measured = async (name: string, args: readonly string[], service?: { readonly port: number }) => {
    const pings = service === undefined ? null : startPings(service.port);
    const { seconds, processor, megabytes, code } = await apply(database, [...args, folder]);
    const p99 = (await pings?.stop()) ?? Number.NaN;
    const figures = [seconds.toFixed(1), processor.toFixed(1), megabytes.toFixed(0), p99.toFixed(1)];
    rows.push([name, `${code}`, ...figures]);
  };
  const all = async (service?: { readonly port: number }) => {
    await measured('dry run, empty', ['--dry-run'], service);
    await measured('apply, empty', [], service);
    await measured('dry run, equal', ['--dry-run'], service);
  };
  if (postgres) {
    await using service = await startTocsin(database, PINGED);
    await database.run(fillChecks(database, PINGED_CHECKS));
    const alone = startPings(service.port);
    await new Promise((resolve) => setTimeout(resolve, SECONDS_ALONE * 1_000));
    rows.push(['pings alone', '', '', '', '', (await alone.stop()).toFixed(1)]);
    await all(service);
  } else await all();
  console.log(
    `${postgres ? 'PostgreSQL' : 'SQLite'}, ${checks} checks in ${FILES} files, Node ${process.version}`,
  );
  printTable(['', 'exit', 's', 's of the processor', 'MB', 'p99 of pings, ms'], rows);
}

/** A project in each file. */
async function writeFiles({ folder }: BenchDatabase, checks: number): Promise<string> {
  const path = join(folder, 'files');
  await mkdir(path);
  await writeFile(
    join(path, 'accounts.yaml'),
    `source: bench\naccounts:\n  - { email: ${OWNER}, limits: { checks: ${LIMITS.checks}, pings: 100 } }\n`,
  );
  for (let file = 0; file < FILES; file++) {
    const lines = [
      'projects:',
      `  - name: Project ${file}`,
      `    owner: ${OWNER}`,
      '    integrations:',
      `      - { kind: webhook, name: Ops, down: { url: "https://example.org/${file}" } }`,
      '    checks:',
    ];
    for (let n = file; n < checks; n += FILES)
      lines.push(
        `      - slug: job-${n}`,
        `        name: Job number ${n}`,
        `        tags: prod db${n % 20}`,
        `        schedule: "${n % 60} ${n % 24} * * *"`,
        '        tz: Europe/Riga',
        '        grace: 600',
        '        integrations: [Ops]',
      );
    await writeFile(join(path, `project-${file}.yaml`), `${lines.join('\n')}\n`);
  }
  return path;
}

/** A dry run ends with 2 if anything would change. */
const apply = (database: BenchDatabase, args: readonly string[]) =>
  runCommand(database, ['apply', ...args], [0, 2]);

/** Pings at a steady rate until it is stopped. Returns the middle of the seconds' 99th percentiles, in milliseconds. */
function startPings(port: number): { stop(): Promise<number> } {
  let isOver = false;
  const rounds = (async () => {
    const p99s: number[] = [];
    while (!isOver) {
      const { p99Millis } = await loadAtRate({
        port,
        connections: 8,
        requests: PINGS_PER_SECOND,
        perSecond: PINGS_PER_SECOND,
        expect: 200,
        request: (n) => ({
          method: 'GET',
          path: `/ping/${uuidOf(n % PINGED_CHECKS)}`,
          headers: {},
          body: '',
        }),
      });
      p99s.push(p99Millis);
    }
    return p99s;
  })();
  return {
    async stop() {
      isOver = true;
      return median(await rounds);
    },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { postgres: { type: 'boolean', default: false }, checks: { type: 'string', default: '100000' } },
  });
  await run({ postgres: values.postgres, checks: Number(values.checks) });
}
