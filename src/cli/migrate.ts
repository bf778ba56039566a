import { fileNameOf, type Migration } from '../storage/migrate.ts';
import { describeProgress } from '../storage/progress.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';

export const migrateCommand: Command = {
  usage: '',
  summary: 'bring the database up to date, and end',
  async run(args, io) {
    if (args.length > 0) throw new UsageError('migrate takes no arguments');
    const migrated = await Promise.race([migrateConfigured(io), io.stopSignal()]);
    if (migrated === undefined) {
      io.stderr.write(
        'Stopped before the database was up to date. A migration that was running is rolled back.\n',
      );
      return io.exit(1);
    }
    const names = migrated.map(fileNameOf);
    io.stdout.write(names.length === 0 ? 'The database is up to date.\n' : `Applied ${names.join(', ')}.\n`);
    return 0;
  },
};

/** Waits for the database without a limit, as the service does: the command may start together with it. */
async function migrateConfigured(io: CommandIo): Promise<readonly Migration[]> {
  await using core = await openConfiguredCore(io, {
    tell: (progress) => io.stderr.write(`${describeProgress(progress)}\n`),
  });
  return core.migrated;
}
