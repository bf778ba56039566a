import type { Reader } from '../src/storage/driver.ts';

/** Whether a session on this PostgreSQL database waits for a lock that another one holds. */
export async function someoneWaits(db: Reader): Promise<boolean> {
  return (await waitingSessions(db)) > 0;
}

/** How many do. */
export async function waitingSessions(db: Reader): Promise<number> {
  const waiting = await db.all(
    `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length;
}
