import { type Command, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';

export const migrateCommand: Command = {
  usage: '',
  summary: 'bring the database up to date, and end',
  async run(args, io) {
    if (args.length > 0) throw new UsageError('migrate takes no arguments');
    await using core = await openConfiguredCore(io);
    const names = core.migrated.map(({ version, name }) => `${String(version).padStart(4, '0')}_${name}`);
    io.stdout.write(names.length === 0 ? 'The database is up to date.\n' : `Applied ${names.join(', ')}.\n`);
    return 0;
  },
};
