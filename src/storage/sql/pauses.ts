import type { StateBeforePause } from '../../domain/ping/transition.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Writer } from '../driver.ts';
import { Statements } from './statements.ts';

/** The last pause of each check. Whoever writes one holds the check. */
export class SqlPauses extends Statements<Writer> {
  async save(checkId: number, pausedAt: Instant, before: StateBeforePause): Promise<void> {
    await this.db.send(
      `insert into pauses (check_id, paused_at, before) values ($1, $2, $3)
       on conflict (check_id) do update set paused_at = excluded.paused_at, before = excluded.before`,
      [[checkId, pausedAt, JSON.stringify(before)]],
    );
  }

  /** Removes the pause and its flip. Returns the state before it, or null if the check was not paused at that time. */
  async remove(checkId: number, pausedAt: Instant): Promise<StateBeforePause | null> {
    const found = await this.first<{ before: string }>(
      'delete from pauses where check_id = $1 and paused_at = $2 returning before',
      [checkId, pausedAt],
    );
    if (found === null) return null;
    await this.db.send(
      `delete from flips where check_id = $1 and created_at = $2 and new_status = 'paused'`,
      [[checkId, pausedAt]],
    );
    // The text was written by `save`.
    return JSON.parse(found.before) as StateBeforePause;
  }
}
