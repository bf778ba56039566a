import type { ChangeCollector, OwnedRow } from '../../domain/change.ts';
import type { Channel, NewChannel } from '../../domain/channel.ts';
import type { Attempt } from '../../domain/delivery.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import type { ChannelReads, ChannelWrites } from '../store.ts';
import { type Stored, Table } from './table.ts';

/** Settings are kept as JSON text; which shape they have is the kind's business. */
type ChannelRow = Stored<Omit<Channel, 'settings'> & { settings: string }>;

const table = new Table<keyof NewChannel>('channels', {
  uuid: 'uuid',
  projectId: 'project_id',
  kind: 'kind',
  name: 'name',
  settings: 'settings',
  verified: 'verified',
  disabled: 'disabled',
  createdAt: 'created_at',
});

export class SqlChannelReads implements ChannelReads {
  readonly #db: Reader;
  readonly #dialect: Dialect;

  constructor(db: Reader, dialect: Dialect) {
    this.#db = db;
    this.#dialect = dialect;
  }

  async ofProject(projectId: number): Promise<Channel[]> {
    const rows = await this.#db.all<ChannelRow>(
      `select ${table.columns} from channels where project_id = $1 order by id`,
      [projectId],
    );
    return rows.map(toChannel);
  }

  async byId(id: number): Promise<Channel | null> {
    return this.#first('where id = $1', [id]);
  }

  async byUuid(uuid: string): Promise<Channel | null> {
    return this.#first('where uuid = $1', [uuid]);
  }

  async #first(where: string, params: readonly (string | number)[]): Promise<Channel | null> {
    const [row] = await this.#db.all<ChannelRow>(`select ${table.columns} from channels ${where}`, params);
    return row === undefined ? null : toChannel(row);
  }

  async idsOfChecks(checkIds: readonly number[]): Promise<Map<number, number[]>> {
    const links = await this.#db.all<{ checkId: number; channelId: number }>(
      `select check_id as "checkId", channel_id as "channelId" from check_channels
        where check_id ${this.#dialect.inList('$1')}
          and (select disabled from channels where channels.id = channel_id) = false
        order by channel_id`,
      [this.#dialect.list(checkIds)],
    );
    const groups = Map.groupBy(links, ({ checkId }) => checkId);
    return new Map([...groups].map(([id, group]) => [id, group.map(({ channelId }) => channelId)]));
  }
}

export class SqlChannels extends SqlChannelReads implements ChannelWrites {
  readonly #db: Writer;
  readonly #touched: ChangeCollector;

  constructor(db: Writer, dialect: Dialect, touched: ChangeCollector) {
    super(db, dialect);
    this.#db = db;
    this.#touched = touched;
  }

  async insert(channel: NewChannel): Promise<Channel> {
    const values = { ...channel, settings: JSON.stringify(channel.settings) };
    const inserted = { ...channel, id: await table.add(this.#db, values) };
    this.#touched.addChannel(inserted);
    return inserted;
  }

  async update(channel: Channel): Promise<void> {
    this.#touched.addChannel(channel);
    await this.#db.send(
      'update channels set settings = $3, verified = $4 where id = $1 and project_id = $2',
      [[channel.id, channel.projectId, JSON.stringify(channel.settings), channel.verified]],
    );
  }

  async disable(channel: OwnedRow): Promise<void> {
    this.#touched.addChannel(channel);
    await this.#db.send('update channels set disabled = true where id = $1', [[channel.id]]);
  }

  async noteAttempt(
    channel: OwnedRow,
    attempt: Omit<Attempt, 'deliveryId' | 'n'>,
    disable: boolean,
  ): Promise<void> {
    this.#touched.addChannel(channel);
    await this.#db.send(
      `update channels
          set last_notify_at = $2, last_notify_micros = $3, last_error = $4, disabled = (disabled or $5)
        where id = $1`,
      [[channel.id, attempt.startedAt, attempt.duration, attempt.error, disable]],
    );
  }
}

function toChannel(row: ChannelRow): Channel {
  return {
    ...row,
    settings: JSON.parse(row.settings),
    verified: Boolean(row.verified),
    disabled: Boolean(row.disabled),
  };
}
