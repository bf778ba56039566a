import type { Config } from '../config/read-config.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { openSecret, readPassphrase } from '../storage/archive/passphrase.ts';
import { openSource, type Source } from '../storage/archive/source.ts';
import { loadMigrations } from '../storage/migration-files.ts';
import { describeDatabase } from '../storage/open.ts';
import { findKeptSecrets, findSecretFiles, type SecretKeys } from '../storage/secret-key.ts';
import { type Verification, verifyArchive, verifyDatabase } from '../storage/verify/database.ts';
import { readArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Command, UsageError } from './command.ts';
import { configAsOwner } from './database-owner.ts';
import { VERSION } from './version.ts';

const OPTIONS = { 'passphrase-file': { type: 'string' } } as const;
const WORLD = { clock: systemClock, random: systemRandom };

const HELP = `Usage: tocsin verify [FILE]

Looks for faults in a copy or an archive, or without a file in the database itself, and changes nothing.
Prints the first faults by table and key, and then ends with exit code 1.

${columns([['--passphrase-file FILE', 'opens the secret key in the archive, to look at sealed values, too']]).join('\n')}
`;

export const verify: Command = {
  usage: '[FILE]',
  summary: 'look for faults in a backup, or in the database, without changing it',
  help: HELP,
  async run(args, io) {
    const { values, positionals } = readArguments(args, OPTIONS);
    const [file, ...others] = positionals;
    if (others.length > 0) throw new UsageError('verify takes at most one argument, the backup');
    const config = configAsOwner(io);
    const { faults, hasSecret } =
      file === undefined
        ? await verifyDatabase(config.database, config.secretKey, WORLD)
        : await verifyBackup(config, file, values['passphrase-file']);
    for (const { table, key, fault } of faults) io.stdout.write(`${table} ${key}: ${fault}\n`);
    if (!hasSecret) io.stdout.write('Sealed values were not opened: the secret key is not here.\n');
    const count = faults.length === 0 ? 'no fault found' : `${faults.length} faults, or more`;
    io.stdout.write(`${file ?? describeDatabase(config.database)}: ${count}.\n`);
    return faults.length === 0 ? 0 : 1;
  },
};

async function verifyBackup(config: Config, path: string, passphraseFile?: string): Promise<Verification> {
  const source = await openSource(path, { clock: systemClock, release: VERSION });
  const secrets = await secretsOf(config, source, passphraseFile);
  // A copy from before an upgrade has the tables of then.
  const isOlder = source.header.schema < ((await loadMigrations('sqlite')).at(-1)?.version ?? 0);
  if (source.form === 'archive' || isOlder) return verifyArchive(source, secrets, WORLD);
  return verifyDatabase({ engine: 'sqlite', path }, secrets, WORLD);
}

/** The secret in the archive, or the configured one, or the one beside the backup, or the one of the database. */
async function secretsOf(
  { secretKey, database }: Config,
  { path, header: { secret } }: Source,
  passphraseFile: string | undefined,
): Promise<SecretKeys | null> {
  if (passphraseFile !== undefined && secret === null)
    throw new UsageError(`${path} has no secret key in it, so there is no passphrase to give`);
  if (passphraseFile !== undefined && secret !== null)
    return openSecret(secret, await readPassphrase(passphraseFile));
  return (
    secretKey ??
    (await findSecretFiles(path, systemRandom)) ??
    (await findKeptSecrets(database, systemClock, systemRandom).catch(() => null))
  );
}
