import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';

/** A failure or a warning whose ping is gone. */
export interface KeptRun {
  /** The number of the ping that ended it. */
  readonly n: number;
  readonly rid: string | null;
  readonly startedAt: Instant | null;
  readonly endedAt: Instant;
  readonly result: 'failed' | 'warned';
  readonly flags: number | null;
  readonly exitStatus: number | null;
  readonly numbers: string | null;
  /** The end of its body. Null if it had none, or if that was in object storage. */
  readonly excerpt: Uint8Array | null;
}

export interface KeptSpan {
  /** At least one. */
  readonly results: readonly KeptRun['result'][];
  readonly from: Instant;
  readonly until: Instant;
}

/** Bytes at the end of a body that are kept. */
export const KEPT_BYTES = 1_000;

/** What a run was, by the ping that ended it. Null for others. */
export const TROUBLE = `case when signal = 'fail' then 'failed' when signal = 'success' and run_flags <> 0 then 'warned' end`;

const BODY = `coalesce(pings.body, (select long.body from ping_bodies as long
                                     where long.check_id = pings.check_id and long.n = pings.n))`;

const ENDED_AT = 'coalesce(occurred_at, created_at)';
const EXCERPT = `substr(${BODY}, case when length(${BODY}) > ${KEPT_BYTES} then length(${BODY}) - ${KEPT_BYTES - 1} else 1 end)`;
const IN_TIME = (endedAt: string) => `${endedAt} >= $3 and ${endedAt} < $4`;

/** The pings among which troubles are looked for, besides kept runs: above the one number, and up to the other. */
export interface TroubleSpan {
  readonly above: number;
  readonly upTo: number;
}

/** Keeps the failures and warnings among the pings up to number `upTo`, which are removed in the same transaction. */
export async function keepRuns(db: Writer, checkId: number, upTo: number, until: Instant): Promise<void> {
  await db.send(
    `insert into kept_runs (check_id, n, rid, started_at, ended_at, result, flags, exit_status, numbers, excerpt, kept_until_at)
     select check_id, n, rid, run_started_at, ${ENDED_AT}, ${TROUBLE}, run_flags, exit_status, run_numbers, ${EXCERPT},
            cast($3 as bigint)
       from pings where check_id = $1 and n <= $2 and ${TROUBLE} is not null`,
    [[checkId, upTo, until]],
  );
}

export class SqlKeptRunReads<Db extends Reader = Reader> extends Statements<Db> {
  /** Kept runs of a check that ended within the span and before that place, newest first, at most `most`. */
  async before(
    checkId: number,
    { results, from, until }: KeptSpan,
    { at, n }: { readonly at: Instant; readonly n: number },
    most: number,
  ): Promise<KeptRun[]> {
    const isAmong = results.map((result) => `'${result}'`).join(', ');
    return this.db.all(
      `select n, rid, started_at as "startedAt", ended_at as "endedAt", result, flags, exit_status as "exitStatus", numbers,
              excerpt
         from kept_runs
        where check_id = $1 and ended_at >= $2 and ended_at < $3 and (ended_at < $4 or (ended_at = $4 and n < $5))
          and result in (${isAmong})
        order by ended_at desc, n desc limit $6`,
      [checkId, from, until, at, n, most],
    );
  }

  /** Failures and warnings below that number, newest first, at most `most`: kept ones, and those of pings in the span. */
  async troubles(
    checkId: number,
    below: number,
    { from, until }: Omit<KeptSpan, 'results'>,
    { above, upTo }: TroubleSpan,
    most: number,
  ): Promise<KeptRun[]> {
    return this.db.all(
      `select n, rid, started_at as "startedAt", ended_at as "endedAt", result, flags, exit_status as "exitStatus", numbers,
              excerpt
         from kept_runs where check_id = $1 and n < $2 and ${IN_TIME('ended_at')}
       union all
       select n, rid, run_started_at, ${ENDED_AT}, ${TROUBLE}, run_flags, exit_status, run_numbers, ${EXCERPT}
         from pings
        where check_id = $1 and n < $2 and n > $5 and n <= $6 and ${IN_TIME(ENDED_AT)} and ${TROUBLE} is not null
       order by n desc limit $7`,
      [checkId, below, from, until, above, upTo, most],
    );
  }

  /** The number of failures and warnings, kept ones and those of pings up to a number. */
  async countTroubles(
    checkId: number,
    { from, until }: Omit<KeptSpan, 'results'>,
    upTo: number,
  ): Promise<ReadonlyMap<KeptRun['result'], number>> {
    const rows = await this.db.all<{ result: KeptRun['result']; count: number }>(
      `select result, count(*) as count from (
         select result from kept_runs where check_id = $1 and ${IN_TIME('ended_at')}
         union all
         select ${TROUBLE} as result from pings
          where check_id = $1 and n <= $2 and ${IN_TIME(ENDED_AT)} and ${TROUBLE} is not null) as troubles
        group by result`,
      [checkId, upTo, from, until],
    );
    return new Map(rows.map(({ result, count }) => [result, count]));
  }
}

export class SqlKeptRuns extends SqlKeptRunReads<Writer> {
  /** Removes runs that were kept for long enough, at most `most`. Returns their number. */
  async prune(now: Instant, most: number): Promise<number> {
    return this.db.run(
      `delete from kept_runs where (check_id, n) in
         (select check_id, n from kept_runs where kept_until_at < $1 order by kept_until_at limit $2)`,
      [now, most],
    );
  }

  /** Removes what is kept of a check, at most `most`. Returns their number. */
  async deleteOfCheck(checkId: number, most: number): Promise<number> {
    return this.db.run(
      `delete from kept_runs where check_id = $1 and n in
         (select n from kept_runs where check_id = $1 order by n limit $2)`,
      [checkId, most],
    );
  }
}
