import { fileNameOf } from '../storage/migrate.ts';
import { describeProgress } from '../storage/progress.ts';
import { type Command, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';

export const migrateCommand: Command = {
  usage: '',
  summary: 'bring the database up to date, and end',
  async run(args, io) {
    if (args.length > 0) throw new UsageError('migrate takes no arguments');
    await using core = await openConfiguredCore(io, {
      tell: (progress) => io.stderr.write(`${describeProgress(progress)}\n`),
    });
    const names = core.migrated.map(fileNameOf);
    io.stdout.write(names.length === 0 ? 'The database is up to date.\n' : `Applied ${names.join(', ')}.\n`);
    return 0;
  },
};
