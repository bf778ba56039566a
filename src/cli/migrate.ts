import type { CoreWorld } from '../core.ts';
import { fileNameOf, type Migration } from '../storage/migration-files.ts';
import { describeProgress } from '../storage/progress.ts';
import { readArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';

const OPTIONS = { contract: { type: 'boolean' } } as const;

const HELP = `Usage: tocsin migrate [--contract]

Brings the database up to date, and ends. The service does the same when it starts.

${columns([
  ['--contract', 'also takes away what only older programs need: there is no way back to them'],
]).join('\n')}
`;

export const migrateCommand: Command = {
  usage: '[--contract]',
  summary: 'bring the database up to date, and end',
  help: HELP,
  async run(args, io) {
    const { values, positionals } = readArguments(args, OPTIONS);
    if (positionals.length > 0) throw new UsageError('migrate takes no arguments');
    const world = values.contract === true ? { contractBy: 'operator' as const } : {};
    const outcome = await Promise.race([migrateConfigured(io, world), io.stopSignal()]);
    if (outcome === undefined) {
      io.stderr.write(
        'Stopped before the database was up to date. A migration that was running is rolled back.\n',
      );
      return io.exit(1);
    }
    const { migrated, waiting } = outcome;
    io.stdout.write(
      migrated.length === 0 ? 'The database is up to date.\n' : `Applied ${namesOf(migrated)}.\n`,
    );
    if (waiting.length > 0)
      io.stdout.write(
        `${namesOf(waiting)} waits until a day after the last beat of an older program, or for tocsin migrate --contract.\n`,
      );
    return 0;
  },
};

function namesOf(migrations: readonly Migration[]): string {
  return migrations.map(fileNameOf).join(', ');
}

interface Outcome {
  readonly migrated: readonly Migration[];
  readonly waiting: readonly Migration[];
}

/** Waits for the database without a limit, as the service does: the command may start together with it. */
async function migrateConfigured(io: CommandIo, world: Pick<CoreWorld, 'contractBy'>): Promise<Outcome> {
  await using core = await openConfiguredCore(io, {
    ...world,
    tell: (progress) => io.stderr.write(`${describeProgress(progress)}\n`),
  });
  const { migrated, waiting } = core;
  return { migrated, waiting };
}
