import type { Act, ActPlace, ActSpan, LoggedAct, NewAct } from '../../domain/people/audit.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { sendForAll, Table } from './table.ts';

/** The log of a project, or of an account's own acts. */
export type ActScope = { readonly projectId: number } | { readonly accountId: number };

export interface ActPage extends ActSpan {
  /** The last entry before this page. Null begins with the latest. */
  readonly after: ActPlace | null;
  readonly most: number;
}

export interface PrunedActs {
  readonly before: Instant;
  readonly now: Instant;
  readonly after: number;
  readonly most: number;
}

type ActRow = Omit<Act, 'subject' | 'details'> & {
  subjectKind: string;
  subjectId: string;
  subjectName: string;
  details: string;
};

const table = new Table<keyof Omit<ActRow, 'id'>>('audit_log', {
  createdAt: 'created_at bigint',
  accountId: 'account_id bigint',
  actor: 'actor text',
  means: 'means text',
  remoteAddr: 'remote_addr text',
  projectId: 'project_id bigint',
  action: 'action text',
  subjectKind: 'subject_kind text',
  subjectId: 'subject_id text',
  subjectName: 'subject_name text',
  details: 'details text',
});

const INSERT = table.insertForAll();

/** Every entry is before this place. */
const LATEST: ActPlace = { createdAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

export class SqlAuditLogReads<Db extends Reader = Reader> extends Statements<Db> {
  /** A part of a log, the latest first. */
  async page(scope: ActScope, { after, from, before, most }: ActPage): Promise<LoggedAct[]> {
    const [column, id] =
      'projectId' in scope ? ['project_id', scope.projectId] : ['account_id', scope.accountId];
    const start = earlierOf(after ?? LATEST, before === null ? LATEST : { createdAt: before, id: 0 });
    const rows = await this.db.all<ActRow & { accountUuid: string | null }>(
      `select ${table.columns},
              (select uuid from accounts where accounts.id = audit_log.account_id) as "accountUuid"
         from audit_log
        where ${column} = $1 and (created_at, id) < ($2, $3) and created_at >= $4
        order by created_at desc, id desc limit $5`,
      [id, start.createdAt, start.id, from ?? 0, most],
    );
    return rows.map(({ accountUuid, ...row }) => ({ ...toAct(row), accountUuid }));
  }

  /** Acts of the account, the latest first, before that id, at most `most`. */
  async ofAccount(accountId: number, beforeId: number, most: number): Promise<Act[]> {
    const rows = await this.db.all<ActRow>(
      `select ${table.columns} from audit_log where account_id = $1 and id < $2 order by id desc limit $3`,
      [accountId, beforeId, most],
    );
    return rows.map(toAct);
  }

  /** The last sign-ins of the account, the latest first, at most `most`. */
  async signInsOf(accountId: number, most: number): Promise<Act[]> {
    const rows = await this.db.all<ActRow>(
      `select ${table.columns} from audit_log where account_id = $1 and action = 'account.signed_in'
        order by id desc limit $2`,
      [accountId, most],
    );
    return rows.map(toAct);
  }
}

export class SqlAuditLog extends SqlAuditLogReads<Writer> {
  async insert(...acts: readonly NewAct[]): Promise<void> {
    const rows = acts.map(({ subject, details, ...act }) =>
      table.values({
        ...act,
        subjectKind: subject.kind,
        subjectId: subject.id,
        subjectName: subject.name,
        details: JSON.stringify(details),
      }),
    );
    await sendForAll(this.db, this.dialect, INSERT, rows);
  }

  /**
   * Looks at `most` entries after that id, and removes those that are older than `before`. Returns the id to go on from.
   * Null if the entries end, or the last one is from the time that is kept: later entries are newer. A date after `now`
   * says nothing about later entries, because the clock was wrong.
   */
  async prune({ before, now, after, most }: PrunedActs): Promise<number | null> {
    const seen = await this.db.all<{ id: number; createdAt: Instant }>(
      'select id, created_at as "createdAt" from audit_log where id > $1 order by id limit $2',
      [after, most],
    );
    const old = seen.filter(({ createdAt }) => createdAt < before);
    await this.deleteRows('audit_log', old);
    const last = seen.at(-1);
    if (last === undefined || seen.length < most) return null;
    const isKept = last.createdAt >= before && last.createdAt <= now;
    return isKept ? null : last.id;
  }

  /**
   * Entries about a project that is to be deleted stay without it, at most `most` of them. Returns their number. To leave
   * that to the deletion of the project would take long in one transaction.
   */
  async forgetProject(projectId: number, most: number): Promise<number> {
    return this.#forget('project_id', projectId, most);
  }

  /** Forgets entries of an account. */
  async forgetAccount(accountId: number, most: number): Promise<number> {
    return this.#forget('account_id', accountId, most);
  }

  async #forget(column: string, id: number, most: number): Promise<number> {
    return this.db.run(
      `update audit_log set ${column} = null
        where id in (select id from audit_log where ${column} = $1 order by created_at, id limit $2)`,
      [id, most],
    );
  }
}

function toAct({ subjectKind, subjectId, subjectName, details, ...act }: ActRow): Act {
  return {
    ...act,
    subject: { kind: subjectKind, id: subjectId, name: subjectName },
    details: JSON.parse(details),
  };
}

function earlierOf(one: ActPlace, other: ActPlace): ActPlace {
  const isEarlier =
    one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id < other.id);
  return isEarlier ? one : other;
}
