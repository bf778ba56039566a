import { systemClock } from '../lib/clock.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { closeOldMessages, requireNobodyWatches } from '../storage/archive/recovery.ts';
import { requireCurrentSchema } from '../storage/migrate.ts';
import { openDriver } from '../storage/open.ts';
import { SqlLivenessReads } from '../storage/sql/liveness.ts';
import { lockDatabase } from '../storage/sqlite/lock.ts';
import { type Command, UsageError } from './command.ts';
import { configAsOwner } from './database-owner.ts';

export const recovered: Command = {
  usage: '',
  summary: 'close messages that are too old to send, after a recovery by other tools',
  async run(args, io) {
    if (args.length > 0) throw new UsageError('recovered takes no arguments');
    const { database } = configAsOwner(io);
    using _lock = database.engine === 'sqlite' ? lockDatabase(database.path) : null;
    await using driver = await openDriver(database, {
      clock: systemClock,
      onLostConnection: () => undefined,
    });
    await requireCurrentSchema(driver);
    const lastBeatAt = await new SqlLivenessReads(driver, driver.dialect).lastBeatAt();
    const closed = await driver.transaction(async (tx) => {
      const now = systemClock.now();
      if (database.engine === 'postgres') await requireNobodyWatches(tx, now);
      return closeOldMessages(tx, now);
    });
    io.stdout.write(`Messages that were open and are older than an hour are not sent: ${closed}.\n`);
    if (lastBeatAt !== null)
      io.stdout.write(
        `Checks that fell due since ${toIsoSeconds(lastBeatAt)} are excused at the next start.\n`,
      );
    return 0;
  },
};
