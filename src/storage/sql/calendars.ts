import type { ChangeCollector } from '../../domain/change.ts';
import type { NewCalendar, StoredCalendar } from '../../domain/policy/stored-calendar.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { Table } from './table.ts';

const table = new Table<keyof NewCalendar>('calendars', {
  uuid: 'uuid',
  projectId: 'project_id',
  name: 'name',
  schedule: 'schedule',
  tz: 'tz',
  durationSeconds: 'duration_seconds',
  exceptDates: 'except_dates',
  createdAt: 'created_at',
});

const SAVED = ['name', 'schedule', 'tz', 'durationSeconds', 'exceptDates'] as const;

export class SqlCalendarReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The calendars of the project, in order of creation. */
  async ofProject(projectId: number): Promise<StoredCalendar[]> {
    return this.db.all(`select ${table.columns} from calendars where project_id = $1 order by id`, [
      projectId,
    ]);
  }

  async ofProjects(projectIds: readonly number[]): Promise<StoredCalendar[]> {
    return this.db.all(
      `select ${table.columns} from calendars where project_id ${this.dialect.inList('$1')}`,
      [this.dialect.list(projectIds)],
    );
  }
}

/** Whoever calls these holds the project. Policies name calendars, so each change touches all checks of the project. */
export class SqlCalendars extends SqlCalendarReads<Writer> {
  readonly #touched: ChangeCollector;

  constructor(db: Writer, dialect: Dialect, touched: ChangeCollector) {
    super(db, dialect);
    this.#touched = touched;
  }

  async insert(calendar: NewCalendar): Promise<StoredCalendar> {
    this.#touched.addAllChecks(calendar.projectId);
    return { ...calendar, id: await table.add(this.db, calendar) };
  }

  async update(calendar: StoredCalendar): Promise<void> {
    this.#touched.addAllChecks(calendar.projectId);
    await this.db.send(
      `update calendars set ${table.assignments(SAVED, 3)} where project_id = $1 and id = $2`,
      [[calendar.projectId, calendar.id, ...SAVED.map((field) => calendar[field])]],
    );
  }

  async delete(projectId: number, id: number): Promise<void> {
    this.#touched.addAllChecks(projectId);
    await this.db.send('delete from calendars where project_id = $1 and id = $2', [[projectId, id]]);
  }
}
