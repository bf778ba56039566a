import type {
  ChannelMessage,
  MessageSubject,
  NewChannelMessage,
} from '../../domain/alert/channel-message.ts';
import type { Exchange } from '../../domain/alert/delivery.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { type AccountSpan, Outbox, type Turn, type WaitingAccount } from './outbox.ts';
import { Statements } from './statements.ts';
import { oneRow, runForAll, sendForAll, Table, unnest } from './table.ts';

export interface ChannelMessageLease {
  readonly now: Instant;
  readonly until: Instant;
  readonly turns: readonly Turn[];
  /** Channels to which nothing is sent now. */
  readonly busyChannels: readonly number[];
}

type MessageRow = Omit<ChannelMessage, 'subject'> & { kind: string; parameters: string };

const table = new Table<keyof Omit<MessageRow, 'id'>>('channel_messages', {
  uuid: 'uuid uuid',
  channelId: 'channel_id bigint',
  checkId: 'check_id bigint',
  accountId: 'account_id bigint',
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

const outbox = new Outbox('channel_messages', (alias) => `${alias}.account_id`);

const INSERT = table.insertForAll();

/** The place of a message in the outbox. */
interface Place {
  readonly checkId: number;
  readonly channelId: number;
  readonly attemptCount: number;
  readonly nextAttemptAt: Instant;
}

const REPLACEABLE = 'next_attempt_at is not null and leased_until_at is null';

const PLACE = `channel_messages.check_id as "checkId", channel_messages.channel_id as "channelId",
  attempt_count as "attemptCount", next_attempt_at as "nextAttemptAt"`;

const REPLACED = {
  one: `delete from channel_messages
         where check_id = $1 and channel_id = $2 and kind = $3 and ${REPLACEABLE} returning ${PLACE}`,
  many: `delete from channel_messages
          using ${unnest(['bigint', 'bigint', 'text'])} as given (check_id, channel_id, kind)
          where channel_messages.check_id = given.check_id and channel_messages.channel_id = given.channel_id
            and channel_messages.kind = given.kind and ${REPLACEABLE} returning ${PLACE}`,
};

export class SqlChannelMessageReads<Db extends Reader = Reader> extends Statements<Db> {
  /** When the next open message may be attempted, or its lease ends. Null if none is open. */
  async nextAttemptAt(): Promise<Instant | null> {
    return outbox.nextAttemptAt(this.db);
  }

  async byUuid(uuid: string): Promise<ChannelMessage | null> {
    const row = await this.first<MessageRow>(
      `select ${table.columns} from channel_messages where uuid = $1`,
      [uuid],
    );
    return row && toMessage(row);
  }
}

export class SqlChannelMessages extends SqlChannelMessageReads<Writer> {
  /** Inserts one and returns its id. */
  async insert(message: NewChannelMessage): Promise<number> {
    const rows = await this.db.all<{ id: number }>(`${INSERT.one} returning id`, valuesOf(message));
    return oneRow(rows).id;
  }

  /** The last messages to the channel about many, newest first, at most `most`. */
  async together(channelId: number, most: number): Promise<ChannelMessage[]> {
    const rows = await this.db.all<MessageRow>(
      `select ${table.columns} from channel_messages where channel_id = $1 and kind = 'together'
        order by id desc limit $2`,
      [channelId, most],
    );
    return rows.map(toMessage);
  }

  /**
   * Those of the messages that nobody has tried, newest first. They are held, so that nobody tries one of them while rows are added to
   * it. One that was tried is not waited for: whoever settles it holds its channel afterwards, and whoever calls this before.
   */
  async lockUntried(ids: readonly number[]): Promise<ChannelMessage[]> {
    const rows = await this.db.all<MessageRow>(
      `select ${table.columns} from channel_messages
        where id ${this.dialect.inList('$1')} and attempt_count = 0 and next_attempt_at is not null
        order by id desc ${this.dialect.forUpdate}`,
      [this.dialect.list(ids)],
    );
    return rows.map(toMessage);
  }

  async insertMany(messages: readonly NewChannelMessage[]): Promise<void> {
    await sendForAll(this.db, this.dialect, INSERT, messages.map(valuesOf));
  }

  /**
   * Inserts messages about checks. Each takes the place of those of its kind, check and channel that nobody has in hand, and is
   * tried when the last of them would have been.
   */
  async takePlaces(messages: readonly NewChannelMessage[]): Promise<void> {
    const waiting = messages.filter(({ state }) => state === 'open');
    const replaced = await runForAll<Place>(
      this.db,
      this.dialect,
      REPLACED,
      waiting.map(({ checkId, channelId, subject }) => [checkId, channelId, subject.kind]),
    );
    await this.insertMany(
      messages.map((message) => {
        const places = replaced.filter(
          ({ checkId, channelId }) => message.checkId === checkId && message.channelId === channelId,
        );
        const [place] = places.toSorted((one, other) => other.attemptCount - one.attemptCount);
        if (place === undefined || message.state !== 'open') return message;
        const { attemptCount, nextAttemptAt } = place;
        return { ...message, attemptCount, nextAttemptAt };
      }),
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

  /** Leases due messages until `until`, of each account as many as its turn allows. Each lease counts as an attempt. */
  async lease({ now, until, turns, busyChannels }: ChannelMessageLease): Promise<ChannelMessage[]> {
    const due = await outbox.dueInTurn<MessageRow>(this.db, this.dialect, {
      columns: table.columns,
      condition: `and not (channel_id ${this.dialect.inList('$2')})`,
      params: [now, this.dialect.list(busyChannels)],
      turns,
    });
    return outbox.lease(this.db, this.dialect, due.map(toMessage), until);
  }

  /** Extends leases that are still held. */
  async extend(messages: readonly ChannelMessage[], until: Instant): Promise<void> {
    await outbox.extend(this.db, messages, until);
  }

  /** Gives leases back without an attempt. The messages are due again at `at`. */
  async release(messages: readonly ChannelMessage[], at: Instant): Promise<void> {
    await outbox.release(this.db, messages, at);
  }

  /** Gives all leases back without an attempt, whichever node holds them. Returns their number. */
  async releaseAll(): Promise<number> {
    return outbox.releaseAll(this.db);
  }

  /** Afterwards no open message waits beyond `at`. */
  async bringForward(at: Instant): Promise<void> {
    await outbox.bringForward(this.db, at);
  }

  /** Saves how attempts ended. Returns the ids of the messages whose lease was still held. */
  async settle(messages: readonly ChannelMessage[]): Promise<number[]> {
    const settled = await outbox.settle(this.db, this.dialect, messages);
    return settled.map(({ id }) => id);
  }

  /** Keeps what was sent last, and what the provider answered. */
  async keepExchanges(exchanges: readonly (Exchange & { readonly id: number })[]): Promise<void> {
    await this.db.send(
      'update channel_messages set request = $2, answer = $3 where id = $1',
      exchanges.map(({ id, request, answer }) => [id, request, answer]),
    );
  }

  /** Removes messages that were finished before that time, at most `most`. Returns their number. */
  async prune(before: Instant, most: number): Promise<number> {
    const old = await this.db.all<{ id: number }>(
      `select id from channel_messages where finished_at is not null and finished_at < $1
        order by finished_at limit $2`,
      [before, most],
    );
    return this.db.run(`delete from channel_messages where id ${this.dialect.inList('$1')}`, [
      this.dialect.list(old.map(({ id }) => id)),
    ]);
  }
}

function valuesOf({ subject: { kind, parameters }, ...message }: NewChannelMessage) {
  return table.values({ ...message, kind, parameters: JSON.stringify(parameters) });
}

function toMessage({ kind, parameters, ...message }: MessageRow): ChannelMessage {
  // `valuesOf` wrote the row from a subject.
  return { ...message, subject: { kind, parameters: JSON.parse(parameters) } as MessageSubject };
}
