import type { Channel, NewChannel } from '../../domain/channel.ts';
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

  constructor(db: Reader) {
    this.#db = db;
  }

  async ofProject(projectId: number): Promise<Channel[]> {
    const rows = await this.#db.all<ChannelRow>(
      `select ${table.columns} from channels where project_id = $1 order by id`,
      [projectId],
    );
    return rows.map(toChannel);
  }
}

export class SqlChannels extends SqlChannelReads implements ChannelWrites {
  readonly #db: Writer;

  constructor(db: Writer) {
    super(db);
    this.#db = db;
  }

  async insert(channel: NewChannel): Promise<Channel> {
    const values = table.values({ ...channel, settings: JSON.stringify(channel.settings) });
    const [row] = await this.#db.all<{ id: number }>(`${table.insert} returning id`, values);
    return { ...channel, id: row?.id ?? 0 };
  }

  async update(channel: Channel): Promise<void> {
    await this.#db.run('update channels set settings = $3, verified = $4 where id = $1 and project_id = $2', [
      channel.id,
      channel.projectId,
      JSON.stringify(channel.settings),
      channel.verified,
    ]);
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
