import { open } from 'node:fs/promises';
import { type Config, readConfig } from '../config/read-config.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { type Database, describeDatabase } from '../storage/open.ts';
import { findSecretFiles, type SecretKeys } from '../storage/secret-key.ts';
import { verifyDatabase } from '../storage/verify/database.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';

export const verify: Command = {
  usage: '[FILE]',
  summary: 'look for faults in a backup, or in the database, without changing it',
  async run(args, io) {
    const [file, ...others] = args;
    if (others.length > 0) throw new UsageError('verify takes at most one argument, the backup');
    const config = readConfig(io.environment());
    const database = file === undefined ? config.database : await copyAt(file);
    const secrets = file === undefined ? config.secretKey : await secretsOfCopy(config, file);
    const world = { clock: systemClock, random: systemRandom };
    const { faults, hasSecret } = await verifyDatabase(database, secrets, world);
    for (const { table, key, fault } of faults) io.stdout.write(`${table} ${key}: ${fault}\n`);
    if (!hasSecret) io.stdout.write('Sealed values were not opened: the secret key is not here.\n');
    const count = faults.length === 0 ? 'no fault found' : `${faults.length} faults, or more`;
    io.stdout.write(`${describeDatabase(database)}: ${count}.\n`);
    return faults.length === 0 ? 0 : 1;
  },
};

const SQLITE_MAGIC = 'SQLite format 3\0';

async function copyAt(path: string): Promise<Database> {
  await using file = await open(path, 'r');
  const { buffer } = await file.read({ buffer: Buffer.alloc(SQLITE_MAGIC.length), position: 0 });
  if (buffer.toString('latin1') === SQLITE_MAGIC) return { engine: 'sqlite', path };
  throw new CommandFailure(`${path} is no backup of Tocsin`);
}

/** The secret that is configured, or is kept beside the copy, or beside the database of which it is a copy. */
async function secretsOfCopy({ secretKey, database }: Config, path: string): Promise<SecretKeys | null> {
  const beside = secretKey ?? (await findSecretFiles(path, systemRandom));
  if (beside !== null || database.engine === 'postgres') return beside;
  return findSecretFiles(database.path, systemRandom);
}
