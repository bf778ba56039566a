import { type Instant, seconds } from '../../lib/instant.ts';
import { type Reader, StorageError, type Writer } from '../driver.ts';

/** Messages that were open in a backup and are older than this are not sent: nobody waits for them any more. */
const SENT_WITHIN = seconds(3600);
/** A node beats every few seconds. */
const SILENT_FOR = seconds(30);

/** Closes messages that were open when the backup was made, and are too old to be sent now. Returns their number. */
export async function closeOldMessages(tx: Writer, now: Instant): Promise<number> {
  const open = 'next_attempt_at is not null and created_at < $1';
  await tx.run(
    `delete from delivery_stories where delivery_id in (select id from deliveries where ${open})`,
    [now - SENT_WITHIN],
  );
  let closed = 0;
  for (const outbox of ['deliveries', 'mails', 'channel_messages'])
    closed += await tx.run(
      `update ${outbox} set state = 'skipped', error = 'restored', next_attempt_at = null, leased_until_at = null,
              finished_at = $2
        where ${open}`,
      [now - SENT_WITHIN, now],
    );
  return closed;
}

export async function requireNobodyWatches(db: Reader, now: Instant): Promise<void> {
  const [row] = await db.all<{ at: Instant | null }>('select max(beat_at) as at from watch');
  requireSilence(row?.at ?? null, now);
}

/** Throws if a node uses the database, or did until half a minute ago. */
export function requireSilence(lastBeatAt: Instant | null, now: Instant): void {
  if (lastBeatAt === null || Math.abs(now - lastBeatAt) > SILENT_FOR) return;
  throw new StorageError(
    'fault',
    'a node is running, or was until half a minute ago: stop all nodes, wait, and start this again',
  );
}
