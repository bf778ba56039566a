import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { oneRow } from './table.ts';

/** A span of time in which no node could receive a ping. */
export interface BlindSpan {
  readonly from: Instant;
  readonly until: Instant;
}

/** A blind span about which not everybody has been told. */
export interface UntoldSpan extends BlindSpan {
  readonly id: number;
  /** Accounts up to this id have been told. */
  readonly toldUpTo: number;
}

/** The key under which `instance` holds the number of removed blind spans. */
const REMOVED_COUNT = 'removed_blind_spans';

export class SqlLivenessReads<Db extends Reader = Reader> extends Statements<Db> {
  /** When any node was last known to be watching. Null before the first beat. */
  async lastBeatAt(): Promise<Instant | null> {
    return oneRow(await this.db.all<{ at: Instant | null }>('select max(beat_at) as at from watch')).at;
  }

  /** The oldest blind span about which not everybody has been told. */
  async untoldSpan(): Promise<UntoldSpan | null> {
    return this.first(
      `select id, from_at as "from", until_at as "until", told_up_to_account_id as "toldUpTo"
         from blind_spans where told_up_to_account_id is not null order by id limit 1`,
    );
  }

  /** Blind spans that ended after that time, newest first. */
  async blindSpansSince(from: Instant): Promise<BlindSpan[]> {
    return this.db.all(
      'select from_at as "from", until_at as "until" from blind_spans where until_at > $1 order by id desc',
      [from],
    );
  }

  /** The number of all blind spans so far, including removed ones. */
  async blindSpanCount(): Promise<number> {
    const rows = await this.db.all<{ count: number; removed: number }>(
      `select count(*) as count,
              coalesce((select cast(value as bigint) from instance where key = $1), 0) as removed
         from blind_spans`,
      [REMOVED_COUNT],
    );
    const { count, removed } = oneRow(rows);
    return count + removed;
  }
}

export class SqlLiveness extends SqlLivenessReads<Writer> {
  /** Until the transaction ends, no other node can test whether any node was watching. */
  async lock(): Promise<void> {
    // Locked in the same order on every node. A node that was added meanwhile is seen by the next transaction.
    await this.db.all(`select node from watch order by node ${this.dialect.forUpdate}`);
  }

  /** Removes nodes whose last beat is later than that time. Returns their number. */
  async forgetAfter(at: Instant): Promise<number> {
    return this.db.run('delete from watch where beat_at > $1', [at]);
  }

  /** Records that the node is watching, and its release. Removes nodes without a beat since `forget`. */
  async beat(node: string, at: Instant, forget: Instant, version: string | null = null): Promise<void> {
    await this.db.send(
      `insert into watch (node, beat_at, version) values ($1, $2, $3)
       on conflict (node) do update set beat_at = excluded.beat_at`,
      [[node, at, version]],
    );
    await this.db.send('delete from watch where beat_at < $1', [[forget]]);
  }

  /**
   * Records up to which account people were told; null means everybody. Returns false if `from` is not the stored value
   * any more.
   */
  async moveTold(spanId: number, from: number, to: number | null): Promise<boolean> {
    return this.changesOne(
      'update blind_spans set told_up_to_account_id = $3 where id = $1 and told_up_to_account_id = $2',
      [spanId, from, to],
    );
  }

  async addBlindSpan({ from, until }: BlindSpan): Promise<void> {
    await this.db.send('insert into blind_spans (from_at, until_at) values ($1, $2)', [[from, until]]);
  }

  /** Blind spans do not last beyond that time: a clock that was ahead has measured them. */
  async cutBlindSpans(at: Instant): Promise<void> {
    await this.db.send(
      `update blind_spans set until_at = $1, from_at = case when from_at > $1 then $1 else from_at end
        where until_at > $1`,
      [[at]],
    );
  }

  /**
   * Removes blind spans that ended before that time and about which everybody was told, at most `most`. Returns their
   * number.
   */
  async pruneBlindSpans(before: Instant, most: number): Promise<number> {
    const removed = await this.db.run(
      `delete from blind_spans
        where id in (select id from blind_spans
                      where until_at < $1 and told_up_to_account_id is null order by id limit $2)`,
      [before, most],
    );
    if (removed > 0) {
      await this.db.send(
        `insert into instance (key, value) values ($1, cast(cast($2 as bigint) as text))
         on conflict (key) do update
           set value = cast(cast(instance.value as bigint) + cast(excluded.value as bigint) as text)`,
        [[REMOVED_COUNT, removed]],
      );
    }
    return removed;
  }
}
