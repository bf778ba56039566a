import type { Config } from '../config/read-config.ts';
import { type Core, type CoreWorld, openCore } from '../core.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import type { CommandIo } from './command.ts';
import { configAsOwner } from './database-owner.ts';
import { VERSION } from './version.ts';

/** A command's wait for a database that cannot be used: somebody waits for the command. */
export const MAX_WAIT_SECONDS = 120;

/** Opens the configured store for a command that does one thing and ends. */
export async function openConfiguredCore(
  io: CommandIo,
  overrides: Pick<CoreWorld, 'tell' | 'maxWaitSeconds' | 'takesAnySecret' | 'contractBy'> = {
    maxWaitSeconds: MAX_WAIT_SECONDS,
  },
): Promise<Core & { config: Config }> {
  const config = configAsOwner(io);
  const log = createLog(config.log.level);
  const world = { clock: systemClock, random: systemRandom, log, version: VERSION };
  const core = await openCore(config, { ...world, ...overrides });
  return { ...core, config };
}
