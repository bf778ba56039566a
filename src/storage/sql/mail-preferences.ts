import type { MailPreferences, ReminderSeconds } from '../../domain/people/account.ts';
import type { Instant } from '../../lib/instant.ts';
import type { DateStyle } from '../../lib/text/date-style.ts';
import type { Reader, Value, Writer } from '../driver.ts';
import { overdueAt, STORED_DOWN } from './down.ts';
import { memberships } from './membership.ts';
import { Statements } from './statements.ts';
import type { Stored } from './table.ts';

/** The effect of a blind span on an account. */
export interface BlindAccount {
  readonly accountId: number;
  /** Whether the account existed and owns, or is a member of, a project with a watched check. */
  readonly isConcerned: boolean;
  /** The number of checks in its projects whose deadline was postponed. */
  readonly excused: number;
}

const COLUMNS = `id as "accountId", uuid, email, tz, reports, next_report_at as "nextReportAt",
  reminder_seconds as "reminderSeconds", next_reminder_at as "nextReminderAt", language, date_format as "dateFormat",
  clock`;

/** One row for each project that an account owns or is a member of, and that has such a check. */
const projectsWith = (account: string, check: string) =>
  `select 1 from ${memberships('account_id', `= ${account}`)} where ${check} = 1`;

/**
 * 1 if the project has such a check. It is a value, not a condition. So the database looks project by project, stops at
 * the first check, and never reads all checks of the installation.
 */
const anyCheck = (condition: string) =>
  `(select 1 from checks where checks.project_id = membership.project_id and ${condition} limit 1)`;

export class SqlMailPreferenceReads<Db extends Reader = Reader> extends Statements<Db> {
  async ofAccount(accountId: number): Promise<MailPreferences | null> {
    const [found] = await this.#select('where id = $1', [accountId]);
    return found ?? null;
  }

  async byUuid(uuid: string): Promise<MailPreferences | null> {
    const [found] = await this.#select('where uuid = $1', [uuid]);
    return found ?? null;
  }

  /**
   * Accounts that want reports and have no date for the next one. Also those with a date after `latest`, which only a
   * wrong clock can have set. At most `limit` of each.
   */
  async withoutReportDate(latest: Instant, limit: number): Promise<MailPreferences[]> {
    return [
      ...(await this.#select(`where next_report_at is null and reports <> 'off' order by id limit $1`, [
        limit,
      ])),
      ...(await this.#select('where next_report_at > $1 order by next_report_at limit $2', [latest, limit])),
    ];
  }

  /** Accounts whose report is due, the longest overdue first, at most `limit`. */
  async dueReports(now: Instant, limit: number): Promise<MailPreferences[]> {
    return this.#select(
      'where next_report_at is not null and next_report_at <= $1 order by next_report_at limit $2',
      [now, limit],
    );
  }

  /** Whether any check of a project that the account owns or is a member of has received a ping since that time. */
  async wasPinged(accountId: number, since: Instant): Promise<boolean> {
    return this.#hasCheck(anyCheck('checks.last_received_at >= $2'), [accountId, since]);
  }

  /**
   * Whether any check is down in a project that the account owns or is a member of. It counts even if the deadline loop
   * has not noticed yet.
   */
  async hasDown(accountId: number, now: Instant): Promise<boolean> {
    // Conditions with an index come first.
    const down = `coalesce(${anyCheck(STORED_DOWN)}, ${anyCheck(overdueAt('$2'))})`;
    return this.#hasCheck(down, [accountId, now]);
  }

  /** The owners and members of these checks' projects, for each check. */
  async readersOf(checkIds: readonly number[]): Promise<{ checkId: number; accountId: number }[]> {
    const wanted = `checks.id ${this.dialect.inList('$1')}`;
    return this.db.all(
      `select checks.id as "checkId", membership.account_id as "accountId"
         from checks join ${memberships('project_id', `in (select project_id from checks where ${wanted})`)}
           on membership.project_id = checks.project_id
        where ${wanted}`,
      [this.dialect.list(checkIds)],
    );
  }

  /** Accounts after that id, at most `limit`, each with the effect of the blind span that ended at `until`. */
  async afterBlindness(afterId: number, limit: number, until: Instant): Promise<BlindAccount[]> {
    const watched = anyCheck(`checks.status <> 'paused'`);
    const excused = `(select count(*) from checks
      where checks.project_id = membership.project_id and checks.excused_until_at > $3)`;
    const rows = await this.db.all<Stored<BlindAccount>>(
      `select id as "accountId",
              (created_at <= $3 and exists (${projectsWith('accounts.id', watched)})) as "isConcerned",
              (select cast(coalesce(sum(${excused}), 0) as bigint)
                 from ${memberships('account_id', '= accounts.id')}) as excused
         from accounts where id > $1 order by id limit $2`,
      [afterId, limit, until],
    );
    return rows.map((row) => ({ ...row, isConcerned: Boolean(row.isConcerned) }));
  }

  async #hasCheck(check: string, params: readonly number[]): Promise<boolean> {
    return this.hasRow(`${projectsWith('$1', check)} limit 1`, params);
  }

  /**
   * Accounts whose reminder is due, the longest overdue first. Also those with a date after `latest`, which only a
   * wrong clock can have set. At most `limit` of each.
   */
  async dueReminders(now: Instant, latest: Instant, limit: number): Promise<MailPreferences[]> {
    return [
      ...(await this.#select('where next_reminder_at <= $1 order by next_reminder_at limit $2', [
        now,
        limit,
      ])),
      ...(await this.#select('where next_reminder_at > $1 order by next_reminder_at limit $2', [
        latest,
        limit,
      ])),
    ];
  }

  async #select(where: string, params: readonly (string | number)[]): Promise<MailPreferences[]> {
    return this.db.all(`select ${COLUMNS} from accounts ${where}`, params);
  }
}

export class SqlMailPreferences extends SqlMailPreferenceReads<Writer> {
  /** Saves the setting. The date of the next report is removed, to be computed again. */
  async setReports(accountId: number, reports: MailPreferences['reports'], tz: string): Promise<void> {
    await this.db.send('update accounts set reports = $2, tz = $3, next_report_at = null where id = $1', [
      [accountId, reports, tz],
    ]);
  }

  async setDateStyle(accountId: number, { language, dateFormat, clock }: DateStyle): Promise<void> {
    await this.db.send('update accounts set language = $2, date_format = $3, clock = $4 where id = $1', [
      [accountId, language, dateFormat, clock],
    ]);
  }

  /** Saves the setting. The date of the next reminder is removed. */
  async setReminders(accountId: number, reminderSeconds: ReminderSeconds): Promise<void> {
    await this.db.send('update accounts set reminder_seconds = $2, next_reminder_at = null where id = $1', [
      [accountId, reminderSeconds],
    ]);
  }

  /**
   * Moves the date of the next report. Returns false if the date, or the settings that it follows from, were changed
   * meanwhile.
   */
  async moveReport({ accountId, reports, tz, nextReportAt }: MailPreferences, to: Instant): Promise<boolean> {
    return this.changesOne(
      `update accounts set next_report_at = $2
        where id = $1 and reports = $3 and tz = $4 and next_report_at is not distinct from $5`,
      [accountId, to, reports, tz, nextReportAt],
    );
  }

  /** Moves the date of the next reminder; null removes it. Returns false like `moveReport`. */
  async moveReminder(
    { accountId, reminderSeconds, nextReminderAt }: MailPreferences,
    to: Instant | null,
  ): Promise<boolean> {
    return this.changesOne(
      'update accounts set next_reminder_at = $2 where id = $1 and reminder_seconds = $3 and next_reminder_at = $4',
      [accountId, to, reminderSeconds, nextReminderAt],
    );
  }

  /**
   * Locks the accounts that want reminders and own the project of any of these checks or are members of it. Every
   * process locks them in the same order. Returns their ids.
   */
  async lockAccountsToRemind(checkIds: readonly number[]): Promise<number[]> {
    const projects = `select project_id from checks where checks.id ${this.dialect.inList('$1')}`;
    return this.#lockAccountsToRemind(`in (${projects})`, this.dialect.list(checkIds));
  }

  /** Locks the accounts that want reminders and own the project or are members of it. Returns their ids. */
  async lockProjectAccountsToRemind(projectId: number): Promise<number[]> {
    return this.#lockAccountsToRemind('= $1', projectId);
  }

  /** Locks the accounts to remind of checks in these projects. `projects` is a condition about `value`. */
  async #lockAccountsToRemind(projects: string, value: Value): Promise<number[]> {
    const accounts = await this.db.all<{ id: number }>(
      `select id from accounts
        where reminder_seconds > 0
          and id in (select account_id from ${memberships('project_id', projects)})
        order by id ${this.dialect.forUpdate}`,
      [value],
    );
    return accounts.map(({ id }) => id);
  }

  /**
   * Updates the accounts that want reminders. An account with a check that is stored as down gets a date for the next
   * reminder, unless it has one. All others lose theirs.
   */
  async updateReminderDates(accountIds: readonly number[], now: Instant): Promise<void> {
    if (accountIds.length === 0) return;
    await this.db.send(
      `update accounts
          set next_reminder_at = case when next_reminder_at is null
                then cast($2 as bigint) + cast(reminder_seconds as bigint) * 1000000 end
        where id ${this.dialect.inList('$1')} and reminder_seconds > 0
          and (next_reminder_at is null) = exists (${projectsWith('accounts.id', anyCheck(STORED_DOWN))})`,
      [[this.dialect.list(accountIds), now]],
    );
  }
}
