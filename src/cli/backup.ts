import { existsSync } from 'node:fs';
import type { Config } from '../config/read-config.ts';
import { readConfig } from '../config/read-config.ts';
import { systemRandom } from '../lib/random.ts';
import { backupSqlite } from '../storage/sqlite/backup.ts';
import { secretPaths } from '../storage/sqlite/files.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';

export const backup: Command = {
  usage: 'FILE',
  summary: 'copy the SQLite database to a new file while the service runs',
  async run(args, io) {
    const [target, ...others] = args;
    if (target === undefined || others.length > 0)
      throw new UsageError('backup takes one argument, the new file');
    const { path } = sqliteOnly(readConfig(io.environment()));
    const bytes = await backupSqlite(path, target, systemRandom);
    io.stdout.write(`Copied ${path} to ${target} (${bytes} bytes), checked and complete.\n`);
    const secrets = Object.values(secretPaths(path)).filter((secret) => existsSync(secret));
    if (secrets.length > 0)
      io.stdout.write(`Keep ${secrets.join(', ')} with it, unless SECRET_KEY is set.\n`);
    return 0;
  },
};

function sqliteOnly({ database }: Config): Extract<Config['database'], { engine: 'sqlite' }> {
  if (database.engine === 'sqlite') return database;
  throw new CommandFailure('backup copies SQLite databases; for PostgreSQL use pg_dump or a base backup');
}
