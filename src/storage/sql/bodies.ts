import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { oneRow, sendForAll, unnest } from './table.ts';

/** A body that is to move to object storage. */
export interface BodyMove {
  readonly checkId: number;
  readonly checkUuid: string;
  readonly n: number;
  /** The number of claims so far. A new claim makes earlier ones void. */
  readonly attempts: number;
}

/** Objects of a check that are to be removed: of all pings up to a number. */
export interface ObjectDeletion {
  readonly checkUuid: string;
  readonly upTo: number;
  /** The number of claims and widenings so far. Each one makes earlier claims void. */
  readonly attempts: number;
}

/** Larger than the number of any ping. */
const EVERY_PING = Number.MAX_SAFE_INTEGER;

/** The UUID in the keys of a check's objects. */
export const BODY_UUID = 'coalesce(checks.body_uuid, checks.uuid)';

export class SqlBodyReads<Db extends Reader = Reader> extends Statements<Db> {
  /** Bodies that may be claimed now. The longest waiting come first. */
  async dueMoves(now: Instant, most: number): Promise<BodyMove[]> {
    return this.db.all(
      `select check_id as "checkId", (select ${BODY_UUID} from checks where id = check_id) as "checkUuid", n,
              attempt_count as attempts
         from body_moves where next_attempt_at <= $1 order by next_attempt_at limit $2`,
      [now, most],
    );
  }

  /** The number of bodies that wait to be moved. */
  async moveCount(): Promise<number> {
    return oneRow(await this.db.all<{ count: number }>('select count(*) as count from body_moves')).count;
  }

  /** The longest waiting deletion that may be claimed now. */
  async dueDeletion(now: Instant): Promise<ObjectDeletion | null> {
    return this.first(
      `select check_uuid as "checkUuid", up_to as "upTo", attempt_count as attempts
         from object_deletions where next_attempt_at <= $1 order by next_attempt_at limit 1`,
      [now],
    );
  }
}

const QUEUE_MOVES = {
  one: 'insert into body_moves (check_id, n, next_attempt_at) values ($1, $2, $3)',
  many: `insert into body_moves (check_id, n, next_attempt_at)
         select * from ${unnest(['bigint', 'bigint', 'bigint'])}`,
};

export class SqlBodies extends SqlBodyReads<Writer> {
  /** Queues the bodies of these pings, to be moved from `dueAt` on. */
  async queueMoves(pings: readonly { checkId: number; n: number }[], dueAt: Instant): Promise<void> {
    const rows = pings.map(({ checkId, n }) => [checkId, n, dueAt]);
    await sendForAll(this.db, this.dialect, QUEUE_MOVES, rows);
  }

  /** Claims the move until that time. Null if somebody else has claimed it, or it is not needed any more. */
  async claimMove(move: BodyMove, until: Instant): Promise<BodyMove | null> {
    const claimed = await this.db.run(
      `update body_moves set attempt_count = attempt_count + 1, next_attempt_at = $4
        where check_id = $1 and n = $2 and attempt_count = $3`,
      [move.checkId, move.n, move.attempts, until],
    );
    return claimed === 1 ? { ...move, attempts: move.attempts + 1 } : null;
  }

  /**
   * The body is in object storage, so it leaves the database. If the ping is gone, the object is queued for removal.
   */
  async finishMove({ checkId, checkUuid, n }: BodyMove): Promise<void> {
    // The deletes have the same order as in pruning, so that the two do not deadlock.
    await this.db.send('delete from body_moves where check_id = $1 and n = $2', [[checkId, n]]);
    const moved = await this.db.run('delete from ping_bodies where check_id = $1 and n = $2', [checkId, n]);
    if (moved === 0 && !(await this.#isStored(checkId, n))) {
      // Pings are removed in the order of their numbers, so the pings before this one are gone as well.
      await this.db.send(`${INTO_DELETIONS} values ($1, $2, 0) ${OR_WIDEN}`, [[checkUuid, n]]);
    }
  }

  async #isStored(checkId: number, n: number): Promise<boolean> {
    return this.hasRow('select n from pings where check_id = $1 and n = $2', [checkId, n]);
  }

  /** Gives a claimed move back, to be tried again at that time. */
  async postponeMove({ checkId, n, attempts }: BodyMove, until: Instant): Promise<void> {
    await this.db.send(
      `update body_moves set next_attempt_at = $4
        where check_id = $1 and n = $2 and attempt_count = $3`,
      [[checkId, n, attempts, until]],
    );
  }

  /** Claims the deletion until that time. Null if somebody else has claimed it. */
  async claimDeletion(deletion: ObjectDeletion, until: Instant): Promise<ObjectDeletion | null> {
    const claimed = await this.db.run(
      `update object_deletions set attempt_count = attempt_count + 1, next_attempt_at = $3
        where check_uuid = $1 and attempt_count = $2`,
      [deletion.checkUuid, deletion.attempts, until],
    );
    return claimed === 1 ? { ...deletion, attempts: deletion.attempts + 1 } : null;
  }

  /** Ends the deletion: all its objects are gone. A deletion that was widened meanwhile stays. */
  async finishDeletion({ checkUuid, attempts }: ObjectDeletion): Promise<void> {
    await this.db.send('delete from object_deletions where check_uuid = $1 and attempt_count = $2', [
      [checkUuid, attempts],
    ]);
  }

  /** Gives a claimed deletion back, to be tried again at that time. */
  async postponeDeletion({ checkUuid, attempts }: ObjectDeletion, until: Instant): Promise<void> {
    await this.db.send(
      'update object_deletions set next_attempt_at = $3 where check_uuid = $1 and attempt_count = $2',
      [[checkUuid, attempts, until]],
    );
  }
}

const INTO_DELETIONS = 'insert into object_deletions (check_uuid, up_to, next_attempt_at)';

/** Widening counts as an attempt. So a node that works on the narrower deletion does not mark it as finished. */
const OR_WIDEN = `on conflict (check_uuid) do update set
  up_to = case when excluded.up_to > object_deletions.up_to
    then excluded.up_to else object_deletions.up_to end,
  attempt_count = object_deletions.attempt_count + 1,
  next_attempt_at = case when excluded.next_attempt_at > object_deletions.next_attempt_at
    then excluded.next_attempt_at else object_deletions.next_attempt_at end`;

/**
 * Called before the check's pings up to a number are removed; by default all of them. Their bodies are not moved any
 * more. Their objects, if there can be any, are queued for removal. A claimed upload may still arrive until its claim
 * ends, even if the node that claimed it is dead. So the removal waits until then.
 */
export async function abandonBodies(db: Writer, checkId: number, upTo = EVERY_PING): Promise<void> {
  const dropped = await db.all<{ attempts: number; until: Instant }>(
    `delete from body_moves where check_id = $1 and n <= $2
     returning attempt_count as attempts, next_attempt_at as until`,
    [checkId, upTo],
  );
  const claims = dropped.filter(({ attempts }) => attempts > 0).map(({ until }) => until);
  if (claims.length === 0 && !(await hasObjects(db, checkId, upTo))) return;
  await db.send(
    `${INTO_DELETIONS} select ${BODY_UUID}, cast($2 as bigint), cast($3 as bigint) from checks where id = $1 ${OR_WIDEN}`,
    [[checkId, upTo, claims.reduce((latest, until) => Math.max(latest, until), 0)]],
  );
}

/** Whether a long body of these pings is missing from the database: then it has moved. */
async function hasObjects(db: Reader, checkId: number, upTo: number): Promise<boolean> {
  const rows = await db.all(
    `select n from pings where check_id = $1 and n <= $2 and long_body_size is not null
        and not exists (select 1 from ping_bodies where check_id = $1 and n = pings.n) limit 1`,
    [checkId, upTo],
  );
  return rows.length > 0;
}
