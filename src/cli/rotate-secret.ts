import type { Config } from '../config/read-config.ts';
import type { Core } from '../core.ts';
import { maskedKey } from '../domain/people/api-key.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { createVault } from '../lib/vault.ts';
import type { Deps } from '../services/core/deps.ts';
import { forgetForeignSecrets } from '../services/core/foreign-secrets.ts';
import { type Rotation, resealAll } from '../services/instance/secret-rotation.ts';
import { requireSilence } from '../storage/archive/recovery.ts';
import { handOverDatabase, isSecretKnown } from '../storage/secret-check.ts';
import { keptSecrets } from '../storage/secret-key.ts';
import { lockDatabase } from '../storage/sqlite/lock.ts';
import { columns } from './columns.ts';
import { type Command, CommandFailure, type CommandIo, UsageError } from './command.ts';
import { MAX_WAIT_SECONDS, openConfiguredCore } from './core.ts';
import { configAsOwner } from './database-owner.ts';

const HELP = `Usage: tocsin rotate-secret [--forget | --forget-foreign | --lost]

Makes a new secret key, or takes the one in SECRET_KEY, and seals everything under it.
The key from before is still accepted.

${columns([
  ['--forget', 'stops accepting the keys from before'],
  ['--forget-foreign', 'stops accepting the keys of imported programs, and names API keys that need them'],
  ['--lost', 'goes on without the key from before, which is lost: what was made with it is invalid'],
]).join('\n')}
`;

const OPTIONS = ['--forget', '--forget-foreign', '--lost'];

export const rotateSecret: Command = {
  usage: '[--forget]',
  summary: 'change the secret key, or forget the ones from before',
  help: HELP,
  async run(args, io) {
    const [option, ...others] = args;
    if ((option !== undefined && !OPTIONS.includes(option)) || others.length > 0)
      throw new UsageError(`rotate-secret takes no argument but ${OPTIONS.join(' or ')}`);
    if (option === '--forget-foreign') return forgetForeign(io);
    const config = configAsOwner(io);
    if (option === '--lost') return useWithoutLostKey(io, config);
    if (config.secretKey !== null)
      return resealUnderConfigured(io, option, config.secretKey.fallbacks.length);
    using _lock = config.database.engine === 'sqlite' ? lockDatabase(config.database.path) : null;
    await using core = await openConfiguredCore(io);
    if (config.database.engine === 'postgres') await requireNobodyWatches(core);
    const kept = keptSecrets(config.database, core.deps.store, systemRandom);
    if (option === '--forget') {
      // A command that ran beside the change may have sealed something under a key from before.
      await reseal(core.deps);
      io.stdout.write(`Forgot ${await kept.forgetPrevious()} secret keys from before.\n`);
      return 0;
    }
    const { current, fallbacks } = await kept.prepareNext();
    const rotation = await reseal({ ...core.deps, vault: createVault(current, systemRandom, fallbacks) });
    await kept.useNext();
    tell(io, rotation, 'tocsin rotate-secret --forget');
    return 0;
  },
};

/** Running nodes look the keys up whenever they need them, so they need not stop. */
async function forgetForeign(io: CommandIo): Promise<number> {
  await using core = await openConfiguredCore(io);
  const left = await forgetForeignSecrets(core.deps);
  io.stdout.write('Secret keys of other programs are accepted no longer, nor badge URLs made with them.\n');
  if (left.length > 0) io.stdout.write('These API keys were not used since the import and are invalid:\n');
  for (const key of left) io.stdout.write(`  ${key.projectName}  ${maskedKey(key)}\n`);
  return 0;
}

/** The operator keeps the keys in the environment, so only the stored data has to change. */
async function resealUnderConfigured(
  io: CommandIo,
  option: string | undefined,
  fallbacks: number,
): Promise<number> {
  if (option !== undefined || fallbacks === 0) {
    throw new CommandFailure(
      option === undefined
        ? 'SECRET_KEY is set: put the new key there and the old one into SECRET_KEY_FALLBACKS, and start this again'
        : 'SECRET_KEY is set: take the keys to be forgotten out of SECRET_KEY_FALLBACKS',
    );
  }
  await using core = await openConfiguredCore(io);
  tell(io, await reseal(core.deps), 'removing SECRET_KEY_FALLBACKS');
  return 0;
}

/** What is sealed belongs to the present key then, and so does the database. */
async function reseal(deps: Pick<Deps, 'store' | 'vault'>): Promise<Rotation> {
  const rotation = await resealAll(deps);
  await handOverDatabase(deps.store, deps.vault);
  return rotation;
}

async function useWithoutLostKey(io: CommandIo, { database }: Config): Promise<number> {
  using _lock = database.engine === 'sqlite' ? lockDatabase(database.path) : null;
  await using core = await openConfiguredCore(io, {
    maxWaitSeconds: MAX_WAIT_SECONDS,
    takesAnySecret: true,
  });
  const { store, vault } = core.deps;
  if (database.engine === 'postgres') await requireNobodyWatches(core);
  if (await isSecretKnown(store, vault))
    throw new CommandFailure('the secret key of this database is not lost: it is among the present ones');
  await handOverDatabase(store, vault);
  io.stdout.write(`The database belongs to the present secret key from now on. What was made with the lost one is invalid:
API keys, ping keys, badge URLs, links in mails, authenticators, and the secrets of integrations.
`);
  return 0;
}

/** A running node knows only the present key. It could not read anything that is sealed under the new one. */
async function requireNobodyWatches({ deps }: Core): Promise<void> {
  requireSilence(await deps.store.liveness.lastBeatAt(), systemClock.now());
}

function tell(
  io: CommandIo,
  { channels, pingKeys, authenticators, apiKeysLeft }: Rotation,
  forgetting: string,
): void {
  io.stdout.write(
    `Sealed anew: ${channels} integrations, ${pingKeys} ping keys, ${authenticators} authenticators.\n`,
  );
  io.stdout.write(
    apiKeysLeft === 0
      ? 'No API key needs a secret key from before.\n'
      : `${apiKeysLeft} API keys need the secret key from before until they are used again.\n`,
  );
  io.stdout.write(
    `Badge URLs and links in mails from before work until you forget that key: ${forgetting}.\n`,
  );
}
