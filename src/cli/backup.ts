import { existsSync } from 'node:fs';
import type { Config } from '../config/read-config.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { archiveDatabase } from '../storage/archive/backup.ts';
import { readPassphrase } from '../storage/archive/passphrase.ts';
import { type Database, describeDatabase } from '../storage/open.ts';
import { findKeptSecrets, type SecretKeys } from '../storage/secret-key.ts';
import { backupSqlite } from '../storage/sqlite/backup.ts';
import { secretPaths } from '../storage/sqlite/files.ts';
import { readArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';
import { configAsOwner } from './database-owner.ts';
import { VERSION } from './version.ts';

const OPTIONS = { archive: { type: 'boolean' }, 'passphrase-file': { type: 'string' } } as const;

const HELP = `Usage: tocsin backup FILE

Writes a backup to a new file while the service runs. Of SQLite it is a copy of the database, of PostgreSQL an
archive, for tocsin restore and either engine.
Bodies in object storage are not in it.

${columns([
  ['--archive', 'an archive, also of SQLite'],
  ['--passphrase-file FILE', 'puts the secret key into the archive, under the passphrase in the file'],
]).join('\n')}
`;

export const backup: Command = {
  usage: 'FILE',
  summary: 'write a backup of the database to a new file while the service runs',
  help: HELP,
  async run(args, io) {
    const { values, positionals } = readArguments(args, OPTIONS);
    const [target, ...others] = positionals;
    if (target === undefined || others.length > 0)
      throw new UsageError('backup takes one argument, the new file');
    const config = configAsOwner(io);
    const { database } = config;
    const passphraseFile = values['passphrase-file'];
    if (database.engine === 'sqlite' && values.archive !== true && passphraseFile === undefined) {
      const bytes = await backupSqlite(database.path, target, systemRandom);
      io.stdout.write(`Copied ${database.path} to ${target} (${bytes} bytes), checked and complete.\n`);
      io.stdout.write(keepSecret(config));
      return 0;
    }
    const secret =
      passphraseFile === undefined
        ? null
        : { secrets: await secretsOf(config), passphrase: await readPassphrase(passphraseFile) };
    const world = { clock: systemClock, random: systemRandom, release: VERSION };
    const bytes = await archiveDatabase(database, target, world, secret);
    io.stdout.write(`Archived ${describeDatabase(database)} to ${target} (${bytes} bytes).\n`);
    if (config.objects !== null)
      io.stdout.write('Bodies in object storage are not in it: back the bucket up, too.\n');
    io.stdout.write(
      secret === null ? keepSecret(config) : 'The secret key is in it: keep the passphrase elsewhere.\n',
    );
    return 0;
  },
};

async function secretsOf({ secretKey, database }: Config): Promise<SecretKeys> {
  const secrets = secretKey ?? (await findKeptSecrets(database, systemClock, systemRandom));
  if (secrets === null) throw new CommandFailure('there is no secret key yet: start the service once');
  return secrets;
}

/** What to keep besides a backup without the secret. */
function keepSecret({ secretKey, database }: Pick<Config, 'secretKey'> & { database: Database }): string {
  if (secretKey !== null) return 'The secret key is not in it: keep SECRET_KEY with it.\n';
  if (database.engine === 'postgres')
    return 'The secret key is not in it, and in no file: give --passphrase-file to put it in.\n';
  const files = Object.values(secretPaths(database.path)).filter((file) => existsSync(file));
  return files.length === 0 ? '' : `Keep ${files.join(', ')} with it, unless SECRET_KEY is set.\n`;
}
