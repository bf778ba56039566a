import type { MailKind, MailSubject, NewMail, QueuedMail } from '../../domain/alert/mail.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { type AccountSpan, Outbox, type Turn, type WaitingAccount } from './outbox.ts';
import { Statements } from './statements.ts';
import { oneRow, sendForAll, Table } from './table.ts';

export interface MailLease {
  readonly now: Instant;
  readonly until: Instant;
  readonly turns: readonly Turn[];
}

type MailRow = Omit<QueuedMail, 'subject'> & { kind: string; parameters: string };

const table = new Table<keyof Omit<MailRow, 'id'>>('mails', {
  uuid: 'uuid uuid',
  accountId: 'account_id bigint',
  address: 'address text',
  kind: 'kind text',
  parameters: 'parameters text',
  state: 'state text',
  attemptCount: 'attempt_count integer',
  nextAttemptAt: 'next_attempt_at bigint',
  leasedUntilAt: 'leased_until_at bigint',
  error: 'error text',
  createdAt: 'created_at bigint',
  finishedAt: 'finished_at bigint',
});

const outbox = new Outbox('mails', (alias) => `coalesce(${alias}.account_id, 0)`);

const INSERT = table.insertForAll();

export class SqlMailReads<Db extends Reader = Reader> extends Statements<Db> {
  /** When the next open mail may be attempted. Null if none is open. */
  async nextAttemptAt(): Promise<Instant | null> {
    return outbox.nextAttemptAt(this.db);
  }

  /** The number of open mails, due or not. */
  async openCount(): Promise<number> {
    return outbox.openCount(this.db);
  }

  /** Whether a mail of that kind to the account has not been sent yet. */
  async hasOpen(accountId: number, kind: MailKind): Promise<boolean> {
    return this.hasRow(
      'select id from mails where account_id = $1 and kind = $2 and next_attempt_at is not null limit 1',
      [accountId, kind],
    );
  }

  /** When the last mail of that kind to the account was sent. Null if none is known. */
  async lastSentAt(accountId: number, kind: MailKind): Promise<Instant | null> {
    // The sum keeps PostgreSQL from going through all mails from the last one on.
    const rows = await this.db.all<{ at: Instant | null }>(
      `select max(finished_at + 0) as at from mails
        where account_id = $1 and kind = $2 and next_attempt_at is null and state = 'delivered'`,
      [accountId, kind],
    );
    return oneRow(rows).at;
  }
}

/** Mails to people without an account belong to account zero. */
export class SqlMails extends SqlMailReads<Writer> {
  async insertMany(mails: readonly NewMail[]): Promise<void> {
    await sendForAll(
      this.db,
      this.dialect,
      INSERT,
      mails.map(({ subject: { kind, parameters }, ...mail }) =>
        table.values({ ...mail, kind, parameters: JSON.stringify(parameters) }),
      ),
    );
  }

  /** Ends leases that have run out, so that their rows are due again. */
  async endLapsed(now: Instant): Promise<void> {
    await outbox.endLapsed(this.db, this.dialect, now);
  }

  /** The accounts of the span that have rows which nobody has in hand, due or not. */
  async waitingAccounts(span: AccountSpan): Promise<WaitingAccount[]> {
    return outbox.waitingAccounts(this.db, span);
  }

  /** Leases due mails until `until`, of each account as many as its turn allows. Each lease counts as an attempt. */
  async lease({ now, until, turns }: MailLease): Promise<QueuedMail[]> {
    const due = await outbox.dueInTurn<MailRow>(this.db, this.dialect, {
      columns: table.columns,
      condition: '',
      params: [now],
      turns,
    });
    return outbox.lease(this.db, this.dialect, due.map(toMail), until);
  }

  /** Extends leases that are still held. */
  async extend(mails: readonly QueuedMail[], until: Instant): Promise<void> {
    await outbox.extend(this.db, mails, until);
  }

  /** Afterwards no open mail waits beyond `at`. */
  async bringForward(at: Instant): Promise<void> {
    await outbox.bringForward(this.db, at);
  }

  /** Gives all leases back without an attempt, whichever node holds them. Returns their number. */
  async releaseAll(): Promise<number> {
    return outbox.releaseAll(this.db);
  }

  /** Saves how attempts ended. Returns the ids of the mails whose lease was still held. */
  async settle(mails: readonly QueuedMail[]): Promise<number[]> {
    const settled = await outbox.settle(this.db, this.dialect, mails);
    return settled.map(({ id }) => id);
  }

  /** Removes mails that were finished before that time, at most `most`. Returns their number. */
  async prune(before: Instant, most: number): Promise<number> {
    const old = await this.db.all<{ id: number }>(
      `select id from mails where finished_at is not null and finished_at < $1
        order by finished_at limit $2`,
      [before, most],
    );
    return this.db.run(`delete from mails where id ${this.dialect.inList('$1')}`, [
      this.dialect.list(old.map(({ id }) => id)),
    ]);
  }
}

function toMail({ kind, parameters, ...mail }: MailRow): QueuedMail {
  // `insertMany` wrote the row from a subject.
  return { ...mail, subject: { kind, parameters: JSON.parse(parameters) } as MailSubject };
}
