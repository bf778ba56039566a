import { readConfig } from '../config/read-config.ts';
import type { Core } from '../core.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { createVault } from '../lib/vault.ts';
import { type Rotation, resealAll } from '../services/instance/secret-rotation.ts';
import { requireSilence } from '../storage/archive/recovery.ts';
import { keptSecrets } from '../storage/secret-key.ts';
import { lockDatabase } from '../storage/sqlite/lock.ts';
import { type Command, CommandFailure, type CommandIo, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';

export const rotateSecret: Command = {
  usage: '[--forget]',
  summary: 'change the secret key, or forget the ones from before',
  async run(args, io) {
    const [option, ...others] = args;
    if ((option !== undefined && option !== '--forget') || others.length > 0) {
      throw new UsageError('rotate-secret takes no argument but --forget');
    }
    const config = readConfig(io.environment());
    if (config.secretKey !== null)
      return resealUnderConfigured(io, option, config.secretKey.fallbacks.length);
    using _lock = config.database.engine === 'sqlite' ? lockDatabase(config.database.path) : null;
    await using core = await openConfiguredCore(io);
    if (config.database.engine === 'postgres') await requireNobodyWatches(core);
    const kept = keptSecrets(config.database, core.deps.store, systemRandom);
    if (option === '--forget') {
      // A command that ran beside the change may have sealed something under a key from before.
      await resealAll(core.deps);
      io.stdout.write(`Forgot ${await kept.forgetPrevious()} secret keys from before.\n`);
      return 0;
    }
    const { current, fallbacks } = await kept.prepareNext();
    const rotation = await resealAll({ ...core.deps, vault: createVault(current, systemRandom, fallbacks) });
    await kept.useNext();
    tell(io, rotation, 'tocsin rotate-secret --forget');
    return 0;
  },
};

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
  tell(io, await resealAll(core.deps), 'removing SECRET_KEY_FALLBACKS');
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
