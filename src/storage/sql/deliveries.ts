import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import type { DeliveryReads, DeliveryWrites, LateVerdict } from '../store.ts';

export class SqlDeliveryReads implements DeliveryReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async progress(): Promise<{ lastId: number | null; openFlips: number }> {
    const [row] = await this.#db.all<{ lastId: number | null; openFlips: number }>(
      `select (select max(id) from deliveries) as "lastId",
              (select count(distinct flip_id) from deliveries where next_attempt_at is not null) as "openFlips"`,
    );
    return { lastId: row?.lastId ?? null, openFlips: row?.openFlips ?? 0 };
  }
}

export class SqlDeliveries extends SqlDeliveryReads implements DeliveryWrites {
  readonly #db: Writer;

  constructor(db: Writer) {
    super(db);
    this.#db = db;
  }

  async prune(checkId: number, before: Instant): Promise<void> {
    await this.#db.run(
      'delete from deliveries where check_id = $1 and created_at < $2 and finished_at is not null',
      [checkId, before],
    );
  }

  async amend(uuid: string, since: Instant, { error, disableChannel }: LateVerdict): Promise<void> {
    const [delivery] = await this.#db.all<{ channelId: number }>(
      `update deliveries set error = $3 where uuid = $1 and created_at >= $2
       returning channel_id as "channelId"`,
      [uuid, since, error],
    );
    if (delivery === undefined) return;
    await this.#db.run('update channels set last_error = $2, disabled = (disabled or $3) where id = $1', [
      delivery.channelId,
      error,
      disableChannel,
    ]);
  }
}
