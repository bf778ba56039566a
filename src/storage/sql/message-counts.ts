import type { CounterName, MessageCount } from '../../domain/alert/message-quota.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { oneRow } from './table.ts';

const COLUMNS = 'month, used, told_at as "toldAt"';

export class SqlMessageCountReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The account's use, for each counter that it has. */
  async ofAccount(accountId: number): Promise<(MessageCount & { readonly counter: CounterName })[]> {
    return this.db.all(
      `select counter, ${COLUMNS} from message_counts where account_id = $1 order by counter`,
      [accountId],
    );
  }
}

export class SqlMessageCounts extends SqlMessageCountReads<Writer> {
  /** The account's use, locked until the transaction ends. If there is no row yet, it is created from `fresh`. */
  async lock(accountId: number, counter: CounterName, fresh: MessageCount): Promise<MessageCount> {
    const { month, used, toldAt } = fresh;
    // Without a row there would be nothing to lock. One statement makes and locks it.
    const rows = await this.db.all<MessageCount>(
      `insert into message_counts (account_id, counter, month, used, told_at) values ($1, $2, $3, $4, $5)
       on conflict (account_id, counter) do update set used = message_counts.used returning ${COLUMNS}`,
      [accountId, counter, month, used, toldAt],
    );
    return oneRow(rows);
  }

  async save(accountId: number, counter: CounterName, { month, used, toldAt }: MessageCount): Promise<void> {
    await this.db.send(
      'update message_counts set month = $3, used = $4, told_at = $5 where account_id = $1 and counter = $2',
      [[accountId, counter, month, used, toldAt]],
    );
  }

  /** Locks the use of all accounts together. */
  async lockInstance(counter: CounterName, { month, used, toldAt }: MessageCount): Promise<MessageCount> {
    const rows = await this.db.all<MessageCount>(
      `insert into instance_message_counts (counter, month, used, told_at) values ($1, $2, $3, $4)
       on conflict (counter) do update set used = instance_message_counts.used returning ${COLUMNS}`,
      [counter, month, used, toldAt],
    );
    return oneRow(rows);
  }

  async saveInstance(counter: CounterName, { month, used, toldAt }: MessageCount): Promise<void> {
    await this.db.send(
      'update instance_message_counts set month = $2, used = $3, told_at = $4 where counter = $1',
      [[counter, month, used, toldAt]],
    );
  }
}
