import { ConfigError } from '../config/env-file.ts';
import { systemClock } from '../lib/clock.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { systemRandom } from '../lib/random.ts';
import { openSecret, readPassphrase } from '../storage/archive/passphrase.ts';
import { restore } from '../storage/archive/restore.ts';
import { openSource } from '../storage/archive/source.ts';
import { type Database, describeDatabase } from '../storage/open.ts';
import { readArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { configAsOwner } from './database-owner.ts';
import { VERSION } from './version.ts';

const OPTIONS = {
  to: { type: 'string' },
  replace: { type: 'boolean' },
  'passphrase-file': { type: 'string' },
} as const;

const HELP = `Usage: tocsin restore FILE --to URL

Puts a copy or an archive into an empty database of either engine. If it fails, the database is as before.

${columns([
  ['--to URL', 'the database, as DATABASE_URL names it'],
  ['--replace', 'replaces what is in the database; no node may use it'],
  ['--passphrase-file FILE', 'restores the secret key, too, which is in the archive under this passphrase'],
]).join('\n')}
`;

export const restoreCommand: Command = {
  usage: 'FILE --to URL',
  summary: 'put a backup into an empty database of either engine',
  help: HELP,
  async run(args, io) {
    const { values, positionals } = readArguments(args, OPTIONS);
    const [path, ...others] = positionals;
    if (path === undefined || others.length > 0)
      throw new UsageError('restore takes one argument, the backup');
    if (values.to === undefined)
      throw new UsageError('--to names the database, such as sqlite:data/tocsin.db');
    const database = databaseAt(io, values.to);
    const source = await openSource(path, { clock: systemClock, release: VERSION });
    const { secret } = source.header;
    const passphraseFile = values['passphrase-file'];
    if (passphraseFile !== undefined && secret === null)
      throw new UsageError(`${path} has no secret key in it, so there is no passphrase to give`);
    const secrets =
      passphraseFile === undefined || secret === null
        ? null
        : await openSecret(secret, await readPassphrase(passphraseFile));
    const world = { clock: systemClock, random: systemRandom };
    const { header, closed } = await restore(database, {
      source,
      secrets,
      replaces: values.replace === true,
      ...world,
    });
    io.stdout.write(`Restored ${describeDatabase(database)} as it was at ${toIsoSeconds(header.at)}.\n`);
    if (closed > 0)
      io.stdout.write(`Messages that were open then and are older than an hour are not sent: ${closed}.\n`);
    io.stdout.write(
      secrets === null
        ? 'The secret key is not in the backup: the service needs the one of then, beside the database or as SECRET_KEY.\n'
        : 'The secret key was restored.\n',
    );
    return 0;
  },
};

function databaseAt(io: CommandIo, url: string): Database {
  try {
    return configAsOwner(io, { DATABASE_URL: url }).database;
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message.replaceAll('DATABASE_URL', '--to'));
    throw error;
  }
}
