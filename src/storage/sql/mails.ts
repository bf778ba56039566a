import type { MailKind, MailSubject, NewMail, QueuedMail } from '../../domain/alert/mail.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import type { AccountSpan, MailLease, MailReads, MailWrites, WaitingAccount } from '../store.ts';
import { Outbox } from './outbox.ts';
import { oneRow, sendForAll, Table } from './table.ts';

type MailRow = Omit<QueuedMail, 'subject'> & { kind: string; parameters: string };

const table = new Table<keyof Omit<MailRow, 'id'>>('mails', {
  uuid: 'uuid',
  accountId: 'account_id',
  address: 'address',
  kind: 'kind',
  parameters: 'parameters',
  state: 'state',
  attemptCount: 'attempt_count',
  nextAttemptAt: 'next_attempt_at',
  leasedUntilAt: 'leased_until_at',
  error: 'error',
  createdAt: 'created_at',
  finishedAt: 'finished_at',
});

const outbox = new Outbox('mails', (alias) => `coalesce(${alias}.account_id, 0)`);

const INSERT = table.insertOfTypes({
  uuid: 'uuid',
  accountId: 'bigint',
  address: 'text',
  kind: 'text',
  parameters: 'text',
  state: 'text',
  attemptCount: 'integer',
  nextAttemptAt: 'bigint',
  leasedUntilAt: 'bigint',
  error: 'text',
  createdAt: 'bigint',
  finishedAt: 'bigint',
});

export class SqlMailReads implements MailReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async nextAttemptAt(): Promise<Instant | null> {
    return outbox.nextAttemptAt(this.#db);
  }

  async openCount(): Promise<number> {
    return outbox.openCount(this.#db);
  }

  async hasOpen(accountId: number, kind: MailKind): Promise<boolean> {
    const open = await this.#db.all(
      'select id from mails where account_id = $1 and kind = $2 and next_attempt_at is not null limit 1',
      [accountId, kind],
    );
    return open.length > 0;
  }

  async lastSentAt(accountId: number, kind: MailKind): Promise<Instant | null> {
    // The sum keeps PostgreSQL from going through all mails from the last one on.
    const rows = await this.#db.all<{ at: Instant | null }>(
      `select max(finished_at + 0) as at from mails
        where account_id = $1 and kind = $2 and next_attempt_at is null and state = 'delivered'`,
      [accountId, kind],
    );
    return oneRow(rows).at;
  }
}

export class SqlMails extends SqlMailReads implements MailWrites {
  readonly #db: Writer;
  readonly #dialect: Dialect;

  constructor(db: Writer, dialect: Dialect) {
    super(db);
    this.#db = db;
    this.#dialect = dialect;
  }

  async insertMany(mails: readonly NewMail[]): Promise<void> {
    await sendForAll(
      this.#db,
      this.#dialect,
      INSERT,
      mails.map(({ subject: { kind, parameters }, ...mail }) =>
        table.values({ ...mail, kind, parameters: JSON.stringify(parameters) }),
      ),
    );
  }

  async endLapsed(now: Instant): Promise<void> {
    await outbox.endLapsed(this.#db, this.#dialect, now);
  }

  async waitingAccounts(span: AccountSpan): Promise<WaitingAccount[]> {
    return outbox.waitingAccounts(this.#db, span);
  }

  async lease({ now, until, turns }: MailLease): Promise<QueuedMail[]> {
    const due = await outbox.dueInTurn<MailRow>(this.#db, this.#dialect, {
      columns: table.columns,
      condition: '',
      params: [now],
      turns,
    });
    return outbox.lease(this.#db, this.#dialect, due.map(toMail), until);
  }

  async extend(mails: readonly QueuedMail[], until: Instant): Promise<void> {
    await outbox.extend(this.#db, mails, until);
  }

  async bringForward(at: Instant): Promise<void> {
    await outbox.bringForward(this.#db, at);
  }

  async releaseAll(): Promise<number> {
    return outbox.releaseAll(this.#db);
  }

  async settle(mails: readonly QueuedMail[]): Promise<number[]> {
    const settled = await outbox.settle(this.#db, this.#dialect, mails);
    return settled.map(({ id }) => id);
  }

  async prune(before: Instant, most: number): Promise<number> {
    const old = await this.#db.all<{ id: number }>(
      `select id from mails where finished_at is not null and finished_at < $1
        order by finished_at limit $2`,
      [before, most],
    );
    return this.#db.run(`delete from mails where id ${this.#dialect.inList('$1')}`, [
      this.#dialect.list(old.map(({ id }) => id)),
    ]);
  }
}

function toMail({ kind, parameters, ...mail }: MailRow): QueuedMail {
  // `insertMany` wrote the row from a subject.
  return { ...mail, subject: { kind, parameters: JSON.parse(parameters) } as MailSubject };
}
