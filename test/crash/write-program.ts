/**
 * Writes to the SQLite database at the given path as fast as it can, until it is killed. Each transaction
 * counts a check, creates it, assigns a channel to it and records its first ping; its UUID is printed once
 * the commit is done.
 */

import { writeSync } from 'node:fs';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { SqliteDriver } from '../../src/storage/sqlite/driver.ts';
import { checkRecord, pingRecord } from '../records.ts';

const [path = '', email = ''] = process.argv.slice(2);
const store = createSqlStore(new SqliteDriver(path));
const account = await store.accounts.byEmail(email);
const [project] = account === null ? [] : await store.projects.byOwnerAndName(account.id, 'Backups');
if (account === null || project === undefined) throw new Error('there is no project to write to');
const channels = await store.channels.ofProject(project.id);

for (;;) {
  const record = checkRecord(project.id, { status: 'up', pingCount: 1 });
  await store.transaction(async (tx) => {
    await tx.accounts.claimCheckSlot(account.id);
    const check = await tx.checks.insert(record);
    await tx.checks.setChannels(
      check,
      channels.map((channel) => channel.id),
    );
    await tx.pings.insertMany([pingRecord(check.id)]);
  });
  // Not by `process.stdout`, which keeps lines in memory while the pipe is full: a kill would lose them.
  writeSync(1, `${record.uuid}\n`);
}
