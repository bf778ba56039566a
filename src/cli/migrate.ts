import { readConfig } from '../config/read-config.ts';
import type { Upgrade } from '../core.ts';
import { systemClock } from '../lib/clock.ts';
import type { ContractBy } from '../storage/contract.ts';
import { planMigrations } from '../storage/migrate.ts';
import { fileNameOf, type Migration } from '../storage/migration-files.ts';
import { type Database, describeDatabase } from '../storage/open.ts';
import { describeProgress } from '../storage/progress.ts';
import { megabytes, planCopy } from '../storage/sqlite/copy-before.ts';
import { openReading } from '../storage/verify/database.ts';
import { readArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';
import { VERSION } from './version.ts';

const OPTIONS = { plan: { type: 'boolean' }, contract: { type: 'boolean' } } as const;

const HELP = `Usage: tocsin migrate [--plan] [--contract]

Brings the database up to date, and ends. The service does the same when it starts.

${columns([
  ['--plan', 'prints what would be done, and how much room a copy needs, and changes nothing'],
  ['--contract', 'also takes away what only older programs need: there is no way back to them'],
]).join('\n')}
`;

export const migrateCommand: Command = {
  usage: '[--plan] [--contract]',
  summary: 'bring the database up to date, and end',
  help: HELP,
  async run(args, io) {
    const { values, positionals } = readArguments(args, OPTIONS);
    if (positionals.length > 0) throw new UsageError('migrate takes no arguments');
    const contractBy = values.contract === true ? 'operator' : 'start';
    if (values.plan === true) {
      io.stdout.write(await planned(readConfig(io.environment()).database, contractBy));
      return 0;
    }
    const upgrade = await Promise.race([migrateConfigured(io, contractBy), io.stopSignal()]);
    if (upgrade === undefined) {
      io.stderr.write(
        'Stopped before the database was up to date. A migration that was running is rolled back.\n',
      );
      return io.exit(1);
    }
    const { migrated, waiting, copy } = upgrade;
    if (copy !== null) io.stdout.write(`Copied the database to ${copy}.\n`);
    io.stdout.write(
      migrated.length === 0 ? 'The database is up to date.\n' : `Applied ${namesOf(migrated)}.\n`,
    );
    // Whoever meant another database, and is in the wrong folder, notices it here.
    if (migrated.some(({ name }) => name === 'baseline'))
      io.stdout.write(
        `The database was empty: ${describeDatabase(readConfig(io.environment()).database)}.\n`,
      );
    if (waiting.length > 0) io.stdout.write(waitingLine(waiting));
    return 0;
  },
};

function namesOf(migrations: readonly Migration[]): string {
  return migrations.map(fileNameOf).join(', ');
}

function waitingLine(waiting: readonly Migration[]): string {
  return `${namesOf(waiting)} waits until a day after the last beat of an older program, or for tocsin migrate --contract.\n`;
}

/** Waits for the database without a limit, as the service does: the command may start together with it. */
async function migrateConfigured(io: CommandIo, contractBy: ContractBy): Promise<Upgrade> {
  await using core = await openConfiguredCore(io, {
    contractBy,
    tell: (progress) => io.stderr.write(`${describeProgress(progress)}\n`),
  });
  return core.upgrade;
}

function copyless({ engine }: Database): string {
  return engine === 'sqlite'
    ? 'Nothing would be copied before.\n'
    : 'Nothing would be copied before: make a backup (tocsin backup FILE).\n';
}

/** What would be done to the database. */
async function planned(database: Database, contractBy: 'start' | 'operator'): Promise<string> {
  await using driver = await openReading(database, systemClock);
  const { steps, waiting, isNew } = await planMigrations(driver, { release: VERSION, contractBy });
  const later = waiting.length === 0 ? '' : waitingLine(waiting);
  if (steps.length === 0) return `The database is up to date.\n${later}`;
  const isCopied = !isNew && database.engine === 'sqlite';
  const upgrade = { release: VERSION, isContract: contractBy !== 'start' };
  const copy = isCopied ? await planCopy({ ...upgrade, path: database.path }) : null;
  return [
    `${describeDatabase(database)}: would apply ${namesOf(steps)}.\n`,
    copy === null
      ? copyless(database)
      : `Would copy it to ${copy.path} before: ${megabytes(copy.bytes)}, and ${megabytes(copy.freeBytes)} are free.\n`,
    later,
  ].join('');
}
