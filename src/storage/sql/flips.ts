import type { Flip, FlipPlace, FlipSpan, NewFlip } from '../../domain/check/flip.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { insertForAll, type Stored, Table } from './table.ts';

/** Finds checks that change their status too often. */
export interface FlappingQuery {
  readonly since: Instant;
  readonly until: Instant;
  readonly moreThan: number;
  /** Leaves out checks about which people were told after this time. */
  readonly notToldSince: Instant;
  readonly limit: number;
}

/** A part of a list of flips. */
export interface FlipPage {
  /** The last flip of the part before. Null begins the list. */
  readonly after: Pick<Flip, 'createdAt' | 'id'> | null;
  readonly limit: number;
}

export interface FlipPruning {
  /** Flips from before this time are removed, except the last one of each check: it gives the status at this time. */
  readonly before: Instant;
  /** Only flips after this place are looked at. */
  readonly after: FlipPlace;
  /** The largest number of flips to look at, and of deliveries to remove. */
  readonly most: number;
}

const table = new Table<keyof NewFlip>('flips', {
  checkId: 'check_id bigint',
  createdAt: 'created_at bigint',
  oldStatus: 'old_status text',
  newStatus: 'new_status text',
  reason: 'reason text',
  cause: 'cause text',
});

/** Whether the project of the check uses anything that decides who is told when. */
const IS_PLANNED = `(select has_policies from projects
  where projects.id = (select project_id from checks where checks.id = flips.check_id)) as "isPlanned"`;

const INSERT = table.insertForAll(`returning ${table.columns}, ${IS_PLANNED}`);

/** A flip that was recorded. */
export interface RecordedFlip extends Flip {
  /** Whether a plan says who is told. Else it is told at once, to all. */
  readonly isPlanned: boolean;
}

const EVER = { from: 0, before: Number.MAX_SAFE_INTEGER };

const EVERY_FLIP: FlipPage = { after: null, limit: Number.MAX_SAFE_INTEGER };
const BEFORE_LIST = { createdAt: Number.MAX_SAFE_INTEGER, id: 0 };

export class SqlFlipReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The check's flips in the span, newest first. Without a page, all of them. */
  async ofCheck(checkId: number, span: FlipSpan, { after, limit } = EVERY_FLIP): Promise<Flip[]> {
    const { createdAt, id } = after ?? BEFORE_LIST;
    return this.db.all(
      `select ${table.columns} from flips
        where check_id = $1 and created_at >= $2 and created_at < $3 and (created_at, id) < ($4, $5)
        order by created_at desc, id desc limit $6`,
      [checkId, span.from ?? EVER.from, span.before ?? EVER.before, createdAt, id, limit],
    );
  }

  /** The check's flips after that one and before that time, oldest first, at most `limit`. */
  async after(
    checkId: number,
    { createdAt, id }: Pick<Flip, 'createdAt' | 'id'>,
    before: Instant,
    limit: number,
  ): Promise<Flip[]> {
    return this.db.all(
      `select ${table.columns} from flips
        where check_id = $1 and (created_at, id) > ($2, $3) and created_at < $4
        order by created_at, id limit $5`,
      [checkId, createdAt, id, before, limit],
    );
  }

  async countOf(checkId: number, { from, before }: FlipSpan): Promise<number> {
    return this.counted(
      'select count(*) as count from flips where check_id = $1 and created_at >= $2 and created_at < $3',
      [checkId, from ?? EVER.from, before ?? EVER.before],
    );
  }

  /** The flips of all these checks from that time on. If a limit is given, some of them, as many as it says. */
  async ofChecks(checkIds: readonly number[], from: Instant, limit?: number): Promise<Flip[]> {
    return this.db.all(
      `select ${table.columns} from flips
        where check_id ${this.dialect.inList('$1')} and created_at >= $2 ${limit === undefined ? '' : 'limit $3'}`,
      [this.dialect.list(checkIds), from, ...(limit === undefined ? [] : [limit])],
    );
  }

  /** The last flip of each of these checks before that time. */
  async lastBefore(checkIds: readonly number[], before: Instant): Promise<Flip[]> {
    return this.db.all(
      `select ${table.columns} from flips
        where id in (
          select (select last.id from flips as last
                   where last.check_id = checks.id and last.created_at < $2
                   order by last.created_at desc, last.id desc limit 1)
            from checks where checks.id ${this.dialect.inList('$1')})`,
      [this.dialect.list(checkIds), before],
    );
  }

  /** Checks with too many flips after `since` and until `until`, with the number of flips. */
  async flapping({
    since,
    until,
    moreThan,
    notToldSince,
    limit,
  }: FlappingQuery): Promise<{ checkId: number; flips: number }[]> {
    return this.db.all(
      `select check_id as "checkId", count(*) as flips from flips
        where created_at > $1 and created_at <= $2
          and not exists (
            select 1 from flapping_notices
             where flapping_notices.check_id = flips.check_id and flapping_notices.told_at > $4)
        group by check_id having count(*) > $3 order by check_id limit $5`,
      [since, until, moreThan, notToldSince, limit],
    );
  }

  async byId(id: number): Promise<Flip | null> {
    return this.first(`select ${table.columns} from flips where id = $1`, [id]);
  }

  /** The flip of the same check right before this one. */
  async before(flip: Flip): Promise<Flip | null> {
    return this.first(
      `select ${table.columns} from flips
        where check_id = $1 and created_at <= $2 and id < $3
        order by created_at desc, id desc limit 1`,
      [flip.checkId, flip.createdAt, flip.id],
    );
  }

  /** The flip that opened the outage which this one ended. Null: no outage is known that it ended. */
  async openingOf({ checkId, id }: Pick<Flip, 'checkId' | 'id'>): Promise<Flip | null> {
    return this.first(
      `select ${table.columns} from flips
        where id = (select flip_id from outages where check_id = $1 and ended_by = $2 order by id desc limit 1)`,
      [checkId, id],
    );
  }
}

export class SqlFlips extends SqlFlipReads<Writer> {
  /**
   * Records that people are told about these checks now. Returns the ids of the checks about which nobody was told
   * after `notSince`.
   */
  async noteFlapping(checkIds: readonly number[], now: Instant, notSince: Instant): Promise<number[]> {
    // The select finds only checks that still exist.
    const noted = await this.db.repeat<{ checkId: number }>(
      `insert into flapping_notices (check_id, told_at) select id, $2 from checks where id = $1
       on conflict (check_id) do update set told_at = excluded.told_at where flapping_notices.told_at <= $3
       returning check_id as "checkId"`,
      checkIds.map((checkId) => [checkId, now, notSince]),
    );
    return noted.map(({ checkId }) => checkId);
  }

  /**
   * Removes old flips with their deliveries: oldest first, at most `most` of each. Keeps flips about which somebody
   * still has to be told. Returns the place to continue from; null at the end.
   */
  async prune({ before, after, most }: FlipPruning): Promise<FlipPlace | null> {
    const page = await this.db.all<FlipPlace & { isFollowed: boolean | number }>(
      `select created_at as "createdAt", check_id as "checkId", id,
              exists (select 1 from flips as later
                       where later.check_id = flips.check_id and later.created_at < $1
                         and (later.created_at, later.id) > (flips.created_at, flips.id)) as "isFollowed"
         from flips
        where created_at < $1 and (created_at, check_id, id) > ($2, $3, $4)
        order by created_at, check_id, id limit $5`,
      [before, after.createdAt, after.checkId, after.id, most],
    );
    const followed = page.filter(({ isFollowed }) => isFollowed).map(({ id }) => id);
    const deliveries = followed.length === 0 ? 0 : await this.#remove(followed, most);
    // A flip may have as many deliveries as the project has channels. The next call removes more of them.
    if (deliveries === most) return after;
    return page.length === most ? (page.at(-1) ?? null) : null;
  }

  /**
   * Removes the flips and at most `most` of their deliveries. Returns the number of removed deliveries. A flip stays
   * while it has deliveries.
   */
  async #remove(flipIds: readonly number[], most: number): Promise<number> {
    const ids = this.dialect.list(await this.#lock(flipIds));
    const deliveries = await this.db.run(
      `delete from deliveries
        where id in (select id from deliveries
                      where flip_id ${this.dialect.inList('$1')} and next_attempt_at is null limit $2)`,
      [ids, most],
    );
    await this.db.run(
      `delete from flips
        where id ${this.dialect.inList('$1')}
          and not exists (select 1 from deliveries where flip_id = flips.id)`,
      [ids],
    );
    return deliveries;
  }

  /** Locks the flips, and returns the flips that no other node is removing. */
  async #lock(flipIds: readonly number[]): Promise<readonly number[]> {
    if (this.dialect.forUpdate === '') return flipIds;
    const locked = await this.db.all<{ id: number }>(
      `select id from flips where id ${this.dialect.inList('$1')} for update skip locked`,
      [this.dialect.list(flipIds)],
    );
    return locked.map(({ id }) => id);
  }

  /** Removes flips of a check that is to be deleted, at most `most`. Its deliveries must be gone. Returns their number. */
  async deleteOfCheck(checkId: number, most: number): Promise<number> {
    return this.db.run('delete from flips where id in (select id from flips where check_id = $1 limit $2)', [
      checkId,
      most,
    ]);
  }

  async insertMany(flips: readonly NewFlip[]): Promise<RecordedFlip[]> {
    const recorded = await insertForAll<Stored<RecordedFlip>>(
      this.db,
      this.dialect,
      INSERT,
      flips.map((flip) => table.values(flip)),
    );
    return recorded.map((flip) => ({ ...flip, isPlanned: Boolean(flip.isPlanned) }));
  }
}
