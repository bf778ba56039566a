import type { Dialect } from '../dialect.ts';
import type { Writer } from '../driver.ts';
import { NEXT_REVISION } from './check-rows.ts';
import type { KnownChecks } from './known-checks.ts';

/** Whether the plan wants to know of ends of runs that change no status: of a check whose outage is open. */
export const IS_HEARD = 'exists (select 1 from outages where check_id = checks.id and ended_at is null)';

/** Marks these checks, after that has changed. Whoever calls it holds them. */
export async function noteHeard(
  db: Writer,
  dialect: Dialect,
  known: KnownChecks,
  checkIds: readonly number[],
): Promise<void> {
  known.forget();
  await db.send(
    `update checks set is_heard = ${IS_HEARD}, ${NEXT_REVISION}
      where id ${dialect.inList('$1')} and is_heard <> ${IS_HEARD}`,
    [[dialect.list(checkIds)]],
  );
}
