import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { aCheck } from '../domain/check/check.test-support.ts';
import { AppError } from '../domain/errors.ts';
import type { PingOutcome, PingTarget, ReceivedPing } from '../domain/ping/incoming-ping.ts';
import { mailFilterOf } from '../domain/ping/mail-filter.ts';
import type { MailRecipient } from '../services/ping/mail-recipients.ts';
import { type Ingest, PingWriter } from '../services/ping/ping-writer.ts';
import { MailReader, startReaderThread } from './mail-reader.ts';
import { createReceiver } from './receive.ts';

const done = mailFilterOf(aCheck({ filterSubject: true, successKeywords: 'done' }));
const failed = mailFilterOf(aCheck({ filterSubject: true, failureKeywords: 'done' }));

const TRY_AGAIN = '451 4.3.0 Try again later';

/** A receiver of mails, and what it does. */
class Desk implements AsyncDisposable {
  readonly batches: (readonly ReceivedPing[])[] = [];
  readonly lookups: (readonly PingTarget[])[] = [];
  threads = 0;
  readonly #reader = new MailReader({}, () => {
    this.threads++;
    return startReaderThread();
  });
  readonly #receive;

  constructor(
    recipientOf: (uuid: string, lookup: number) => MailRecipient,
    ingest: Ingest = async (batch) => batch.map(() => 'recorded'),
    bodyLimit: number | null = null,
  ) {
    const pings = new PingWriter((batch) => {
      this.batches.push(batch);
      return ingest(batch);
    });
    const findRecipients = async (targets: readonly PingTarget[]) => {
      this.lookups.push(targets);
      return targets.map((target) => recipientOf('uuid' in target ? target.uuid : '', this.lookups.length));
    };
    const log = pino({ level: 'silent' });
    this.#receive = createReceiver({ pings, findRecipients }, this.#reader, { bodyLimit, log });
  }

  receive(uuids: readonly string[], text = 'Subject: done\r\n\r\nall is well'): Promise<string> {
    const raw = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    raw.write(text);
    const recipients = uuids.map((uuid) => ({ uuid }));
    return this.#receive({ envelope: { sender: 'a@b', recipients }, peer: '192.0.2.1', raw });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#reader[Symbol.asyncDispose]();
  }
}

const meaningOf = ({ target, mail }: ReceivedPing) => [
  'uuid' in target && target.uuid,
  mail?.filter ?? null,
  mail?.signal,
];

test('a mail for nobody is accepted, and neither read nor written', async () => {
  await using desk = new Desk((uuid) => (uuid === 'twins' ? 'ambiguous' : 'not_found'));

  assert.equal(await desk.receive(['one', 'two', 'twins']), '250 OK');

  assert.deepEqual([desk.lookups.length, desk.threads, desk.batches.length], [1, 0, 0]);
});

test('only recipients that exist are written, together and in their order, each with its own meaning', async () => {
  const recipients: Record<string, MailRecipient> = {
    one: { filter: done, ownerId: 1 },
    two: { filter: null, ownerId: 1 },
    three: { filter: failed, ownerId: 1 },
    four: { filter: done, ownerId: 1 },
  };
  await using desk = new Desk((uuid) => recipients[uuid] ?? 'not_found');

  assert.equal(await desk.receive(['one', 'nobody', 'two', 'three', 'four', 'one']), '250 OK');

  assert.equal(desk.batches.length, 1);
  assert.deepEqual(desk.batches[0]?.map(meaningOf), [
    ['one', done, 'success'],
    ['two', null, 'success'],
    ['three', failed, 'fail'],
    ['four', done, 'success'],
    ['one', done, 'success'],
  ]);
  assert.equal(new Set(desk.batches[0]?.map(({ body }) => body)).size, 1, 'they share the body');
});

test('a check whose filter changed in between has the mail read again, and nobody else', async () => {
  const outcomes: PingOutcome[][] = [['recorded', 'filter_changed', 'filter_changed'], ['recorded']];
  await using desk = new Desk(
    (uuid, lookup) =>
      uuid === 'gone' && lookup > 1 ? 'not_found' : { filter: lookup > 1 ? failed : done, ownerId: 1 },
    async () => outcomes.shift() ?? [],
  );

  assert.equal(await desk.receive(['same', 'changed', 'gone']), '250 OK');

  assert.deepEqual(
    desk.batches.map((batch) => batch.map(meaningOf)),
    [
      [
        ['same', done, 'success'],
        ['changed', done, 'success'],
        ['gone', done, 'success'],
      ],
      [['changed', failed, 'fail']],
    ],
  );
  assert.equal(String(desk.batches[1]?.[0]?.body), String(desk.batches[0]?.[0]?.body));
});

test('a check whose filter never stays the same has the sender try again', async () => {
  await using desk = new Desk(
    () => ({ filter: done, ownerId: 1 }),
    async (batch) => batch.map(() => 'filter_changed'),
  );

  assert.equal(await desk.receive(['restless']), TRY_AGAIN);

  assert.equal(desk.batches.length, 3);
});

test('recipients of a long mail are written in portions, whatever they have in common', async () => {
  await using desk = new Desk(() => ({ filter: null, ownerId: 1 }));
  const uuids = Array.from({ length: 20 }, (_, n) => String(n));

  assert.equal(await desk.receive(uuids, 'x'.repeat(1024 * 1024)), '250 OK');

  assert.deepEqual(
    desk.batches.map((batch) => batch.length),
    [7, 7, 6],
  );
  assert.deepEqual(
    desk.batches.flat().map((ping) => meaningOf(ping)[0]),
    uuids,
  );
});

test('a look-up that fails, a mail that cannot be read, and an outage have the sender try again', async () => {
  await using unknown = new Desk(() => {
    throw new AppError('storage_unavailable');
  });
  await using away = new Desk(
    () => ({ filter: null, ownerId: 1 }),
    async () => {
      throw new AppError('storage_unavailable');
    },
  );

  for (const desk of [unknown, away]) assert.equal(await desk.receive(['one']), TRY_AGAIN);
});
