import type { Correspondence, ReminderSeconds } from '../../domain/account.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import type { CorrespondenceReads, CorrespondenceWrites } from '../store.ts';

const COLUMNS = `id as "accountId", uuid, email, tz, reports, next_report_at as "nextReportAt",
  nag_period_seconds as "reminderSeconds", next_nag_at as "nextReminderAt"`;

/** The projects that an account owns or is a member of. */
const ACCESSIBLE = `select id from projects where owner_id = $1
  union select project_id from members where account_id = $1`;

export class SqlCorrespondenceReads implements CorrespondenceReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async ofAccount(accountId: number): Promise<Correspondence | null> {
    const [found] = await this.#select('where id = $1', [accountId]);
    return found ?? null;
  }

  async byUuid(uuid: string): Promise<Correspondence | null> {
    const [found] = await this.#select('where uuid = $1', [uuid]);
    return found ?? null;
  }

  async withoutReportDate(limit: number): Promise<Correspondence[]> {
    return this.#select(`where next_report_at is null and reports <> 'off' order by id limit $1`, [limit]);
  }

  async dueReports(now: Instant, limit: number): Promise<Correspondence[]> {
    return this.#select(
      'where next_report_at is not null and next_report_at <= $1 order by next_report_at limit $2',
      [now, limit],
    );
  }

  async wasPinged(accountId: number, since: Instant): Promise<boolean> {
    // As a value, not as a condition: looked up project by project, which ends with the first that has one.
    const found = await this.#db.all(
      `select 1 from (${ACCESSIBLE}) as project
        where (select 1 from checks
                where checks.project_id = project.id and checks.last_received_at >= $2 limit 1) = 1
        limit 1`,
      [accountId, since],
    );
    return found.length > 0;
  }

  async #select(where: string, params: readonly (string | number)[]): Promise<Correspondence[]> {
    return this.#db.all(`select ${COLUMNS} from accounts ${where}`, params);
  }
}

export class SqlCorrespondence extends SqlCorrespondenceReads implements CorrespondenceWrites {
  readonly #db: Writer;

  constructor(db: Writer) {
    super(db);
    this.#db = db;
  }

  async setReports(accountId: number, reports: Correspondence['reports'], tz: string): Promise<void> {
    await this.#db.run('update accounts set reports = $2, tz = $3, next_report_at = null where id = $1', [
      accountId,
      reports,
      tz,
    ]);
  }

  async setReminders(accountId: number, reminderSeconds: ReminderSeconds): Promise<void> {
    await this.#db.run('update accounts set nag_period_seconds = $2, next_nag_at = null where id = $1', [
      accountId,
      reminderSeconds,
    ]);
  }

  async moveReport({ accountId, reports, tz, nextReportAt }: Correspondence, to: Instant): Promise<boolean> {
    const moved = await this.#db.run(
      `update accounts set next_report_at = $2
        where id = $1 and reports = $3 and tz = $4 and next_report_at is not distinct from $5`,
      [accountId, to, reports, tz, nextReportAt],
    );
    return moved === 1;
  }
}
