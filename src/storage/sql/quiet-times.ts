import type { ChangeCollector } from '../../domain/change.ts';
import type { NewQuietTime, QuietTime } from '../../domain/check/quiet-time.ts';
import type { Span } from '../../domain/check/status.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { sendForAll, Table, unnest } from './table.ts';

/** A quiet time of a check as it was, or as it is. */
export interface QuietSpan extends Span {
  readonly checkId: number;
  readonly name: string;
}

const table = new Table<keyof NewQuietTime>('quiet_times', {
  uuid: 'uuid',
  projectId: 'project_id',
  name: 'name',
  reason: 'reason',
  madeBy: 'made_by',
  checkIds: 'check_ids',
  tags: 'tags',
  fromAt: 'from_at',
  untilAt: 'until_at',
  schedule: 'schedule',
  tz: 'tz',
  durationSeconds: 'duration_seconds',
  nextAt: 'next_at',
  createdAt: 'created_at',
});

const SELECT = `select ${table.columns} from quiet_times`;

type Stored = Omit<QuietTime, 'checkIds'> & { readonly checkIds: string };

const quietTimeOf = ({ checkIds, ...row }: Stored): QuietTime => ({ ...row, checkIds: JSON.parse(checkIds) });

const stored = (quietTime: NewQuietTime) => ({ ...quietTime, checkIds: JSON.stringify(quietTime.checkIds) });

/** What an edit may change. */
const EDITABLE = [
  'name',
  'reason',
  'checkIds',
  'tags',
  'fromAt',
  'untilAt',
  'schedule',
  'tz',
  'durationSeconds',
  'nextAt',
] as const satisfies readonly (keyof NewQuietTime)[];

/** A check has one span at a time: a longer one begins where it began. One that was stopped keeps its name. */
const REPLACE = `on conflict (check_id, from_at) do update set until_at = excluded.until_at,
                   name = case when excluded.name = '' then quiet_spans.name else excluded.name end`;

const ADD_SPAN = {
  one: `insert into quiet_spans (check_id, from_at, until_at, name) values ($1, $2, $3, $4) ${REPLACE}`,
  many: `insert into quiet_spans (check_id, from_at, until_at, name)
         select * from ${unnest(['bigint', 'bigint', 'bigint', 'text'])} ${REPLACE}`,
};

export class SqlQuietTimeReads<Db extends Reader = Reader> extends Statements<Db> {
  /** Those of the project that run or will come, in order of creation. */
  async inForce(projectId: number, now: Instant): Promise<QuietTime[]> {
    const rows = await this.db.all<Stored>(
      `${SELECT} where project_id = $1 and (until_at is null or until_at > $2) order by id`,
      [projectId, now],
    );
    return rows.map(quietTimeOf);
  }

  /** All of the project, in order of creation. */
  async ofProject(projectId: number): Promise<QuietTime[]> {
    const rows = await this.db.all<Stored>(`${SELECT} where project_id = $1 order by id`, [projectId]);
    return rows.map(quietTimeOf);
  }

  async byUuid(projectId: number, uuid: string): Promise<QuietTime | null> {
    const row = await this.first<Stored>(`${SELECT} where project_id = $1 and uuid = $2`, [projectId, uuid]);
    return row && quietTimeOf(row);
  }

  /** When the next quiet time has to cover its checks. Null if none comes. */
  async nextAt(): Promise<Instant | null> {
    const row = await this.first<{ at: Instant | null }>(
      'select min(next_at) as at from quiet_times where next_at is not null',
    );
    return row?.at ?? null;
  }

  /** The account with quiet times that have to cover their checks, that comes after this one. After the last one the first. */
  async nextAccount(now: Instant, after: number): Promise<number | null> {
    const row = await this.first<{ account: number | null }>(
      `select coalesce(min(case when owner_id > $2 then owner_id end), min(owner_id)) as account
         from quiet_times join projects on projects.id = project_id
        where next_at is not null and next_at <= $1`,
      [now, after],
    );
    return row?.account ?? null;
  }

  /** Those that have to cover their checks, of the project of the account in which one was due first. */
  async dueOf(accountId: number, now: Instant): Promise<QuietTime[]> {
    const rows = await this.db.all<Stored>(
      `${SELECT} where next_at is not null and next_at <= $2 and project_id = (
         select project_id from quiet_times join projects on projects.id = project_id
          where next_at is not null and next_at <= $2 and owner_id = $1 order by next_at limit 1)
        order by next_at, id`,
      [accountId, now],
    );
    return rows.map(quietTimeOf);
  }

  /** The accounts with quiet times that had to cover their checks by then. */
  async accountsDue(by: Instant): Promise<number[]> {
    const rows = await this.db.all<{ account: number }>(
      `select distinct owner_id as account from quiet_times join projects on projects.id = project_id
        where next_at is not null and next_at <= $1`,
      [by],
    );
    return rows.map(({ account }) => account);
  }

  /** The spans of these checks that end after that time. */
  async spansSince(checkIds: readonly number[], from: Instant): Promise<QuietSpan[]> {
    if (checkIds.length === 0) return [];
    return this.db.all(
      `select check_id as "checkId", from_at as "from", until_at as "until", name from quiet_spans
        where check_id ${this.dialect.inList('$1')} and until_at > $2 order by check_id, from_at`,
      [this.dialect.list(checkIds), from],
    );
  }
}

/** A quiet time that will come covers no check yet. So each change touches all checks of the project. */
export class SqlQuietTimes extends SqlQuietTimeReads<Writer> {
  readonly #touched: ChangeCollector;

  constructor(db: Writer, dialect: Dialect, touched: ChangeCollector) {
    super(db, dialect);
    this.#touched = touched;
  }

  async insert(quietTime: NewQuietTime): Promise<QuietTime> {
    this.#touched.addAllChecks(quietTime.projectId);
    return { ...quietTime, id: await table.add(this.db, stored(quietTime)) };
  }

  async update(quietTime: QuietTime): Promise<void> {
    const { id, projectId } = quietTime;
    this.#touched.addAllChecks(projectId);
    const row = stored(quietTime);
    await this.db.send(
      `update quiet_times set ${table.assignments(EDITABLE, 3)} where project_id = $1 and id = $2`,
      [[projectId, id, ...EDITABLE.map((field) => row[field])]],
    );
  }

  async delete(projectId: number, id: number): Promise<void> {
    this.#touched.addAllChecks(projectId);
    await this.db.send('delete from quiet_times where project_id = $1 and id = $2', [[projectId, id]]);
  }

  /** Removes those of the project that ended before that time. */
  async deleteOver(projectId: number, before: Instant): Promise<void> {
    await this.db.send('delete from quiet_times where project_id = $1 and until_at < $2', [
      [projectId, before],
    ]);
  }

  /** Says when it has to cover its checks again, unless somebody has changed that meanwhile. */
  async moveOn({ id, nextAt }: Pick<QuietTime, 'id' | 'nextAt'>, to: Instant | null): Promise<void> {
    await this.db.send('update quiet_times set next_at = $3 where id = $1 and next_at = $2', [
      [id, nextAt, to],
    ]);
  }

  /** They have to cover their checks again at these times, which are not later than their next spans. */
  async lookAgain(times: ReadonlyMap<Pick<QuietTime, 'id'>, Instant>): Promise<void> {
    // Every node takes them in this order. It prevents deadlocks.
    const rows = [...times].map(([{ id }, at]) => [id, at] as const).sort(([one], [other]) => one - other);
    await this.db.send('update quiet_times set next_at = $2 where id = $1', rows);
  }

  /** After a clock that was ahead was set back: looks anew when each quiet time comes, and which checks it covers. */
  async beginAnew(now: Instant): Promise<void> {
    await this.db.send(
      `update quiet_times set next_at = $1, from_at = case when until_at is null and from_at > $1 then $1 else from_at end
        where until_at is null or until_at > $1`,
      [[now]],
    );
  }

  /** Records the spans of checks. One that began at the same time is replaced. */
  async saveSpans(spans: readonly QuietSpan[]): Promise<void> {
    await sendForAll(
      this.db,
      this.dialect,
      ADD_SPAN,
      spans.map(({ checkId, from, until, name }) => [checkId, from, until, name]),
    );
  }

  /** Removes spans of these checks that have not begun. */
  async deleteSpansFrom(checkIds: readonly number[], at: Instant): Promise<void> {
    if (checkIds.length === 0) return;
    await this.db.send(
      `delete from quiet_spans where check_id ${this.dialect.inList('$1')} and from_at >= $2`,
      [[this.dialect.list(checkIds), at]],
    );
  }

  /** Removes spans that ended before that time, at most `most`. Returns their number. */
  async pruneSpans(before: Instant, most: number): Promise<number> {
    return this.db.run(
      `delete from quiet_spans where (check_id, from_at) in
         (select check_id, from_at from quiet_spans where until_at < $1 order by until_at limit $2)`,
      [before, most],
    );
  }
}
