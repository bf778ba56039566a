import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestStore } from '../../../test/engines.ts';
import {
  channelRecord,
  deliveryRecord,
  flipRecord,
  givenCheck,
  pingRecord,
  unique,
} from '../../../test/records.ts';
import { NO_EXCHANGE } from '../../domain/alert/delivery.ts';
import type { Check } from '../../domain/check/check.ts';
import { BEFORE_ALL_FLIPS, type Flip, type FlipPlace } from '../../domain/check/flip.ts';
import { type NewPing, NO_RUN_FACTS } from '../../domain/ping/ping.ts';
import { isConflict } from '../driver.ts';
import type { Store, Turn } from '../store.ts';
import { type Furnished, furnishedProject, LARGEST, MICROSECOND, plain } from './records.test-support.ts';

export function pings(store: () => Store): void {
  const everything = (checkId: number): NewPing => ({
    checkId,
    n: LARGEST,
    createdAt: MICROSECOND,
    occurredAt: MICROSECOND - 1,
    ...NO_RUN_FACTS,
    signal: 'fail',
    scheme: 'https',
    method: 'POST',
    remoteAddr: '2001:db8::1',
    userAgent: 'curl/8 "ü" 🙂',
    rid: '5ba7f0f3-6a5c-4a5e-8d5e-3f0c1c6a1f10',
    exitStatus: 255,
    body: new Uint8Array([0, 1, 127, 128, 255, 0]),
  });

  test('keep every field, and tell the size of the body in its place', async () => {
    const check = await givenCheck(store());
    const record = everything(check.id);

    await store().transaction((tx) => tx.pings.insertMany([record]));

    const { body, ...rest } = record;
    assert.deepEqual((await store().pings.latest(check.id, 10)).map(plain), [{ ...rest, bodySize: 6 }]);
    assert.deepEqual(bytes(await store().pings.body(check.id, record.n)), bytes(body));
  });

  test('keep what is not there apart from what is empty', async () => {
    const check = await givenCheck(store());
    const bare = pingRecord(check.id, { remoteAddr: null, rid: null, exitStatus: null, body: null });
    const empty = pingRecord(check.id, { n: 2, body: new Uint8Array(0), exitStatus: 0 });

    await store().transaction((tx) => tx.pings.insertMany([bare, empty]));

    const [second, first] = await store().pings.latest(check.id, 10);
    assert.deepEqual(
      [first?.remoteAddr, first?.rid, first?.exitStatus, first?.bodySize],
      [null, null, null, 0],
    );
    assert.deepEqual([second?.exitStatus, second?.bodySize], [0, 0]);
    assert.equal(await store().pings.body(check.id, 1), null);
    assert.deepEqual(bytes(await store().pings.body(check.id, 2)), []);
    assert.equal(await store().pings.body(check.id, 3), null);
  });

  test('keep a body of a part of a larger buffer, and a large one', async () => {
    const check = await givenCheck(store());
    const part = new Uint8Array([9, 9, 1, 2, 3, 9]).subarray(2, 5);
    const large = new Uint8Array(1_000_000).map((_, index) => index % 256);

    await store().transaction((tx) =>
      tx.pings.insertMany([
        pingRecord(check.id, { n: 1, body: part }),
        pingRecord(check.id, { n: 2, body: large }),
      ]),
    );

    assert.deepEqual(bytes(await store().pings.body(check.id, 1)), [1, 2, 3]);
    assert.ok(Buffer.from((await store().pings.body(check.id, 2)) ?? []).equals(large));
  });

  test('keep bodies of any length, and tell how long they are', async () => {
    const check = await givenCheck(store());
    const lengths = [100, 101, 1_000_000];
    const source = new Uint8Array(1_000_010).map((_, index) => index % 251);
    const records = lengths.map((length, index) =>
      pingRecord(check.id, { n: index + 1, body: source.subarray(index, index + length) }),
    );

    await store().transaction(async (tx) => {
      await tx.pings.insertMany([...records, pingRecord(check.id, { n: 4 })]);
      await tx.pings.insertMany([pingRecord(check.id, { n: 5, body: source })]);
    });

    assert.deepEqual(
      (await store().pings.latest(check.id, 10)).map(({ bodySize }) => bodySize),
      [1_000_010, 0, 1_000_000, 101, 100],
    );
    for (const [index, record] of [...records, pingRecord(check.id), { body: source }].entries()) {
      const body = await store().pings.body(check.id, index + 1);
      assert.equal(body === null, record.body === null);
      assert.ok(Buffer.from(body ?? []).equals(record.body ?? Buffer.of()), `ping ${index + 1}`);
    }
  });

  test('of many checks are inserted at once, each field in its own place', async () => {
    const [one, two] = [await givenCheck(store()), await givenCheck(store())];
    const records = [
      everything(one.id),
      pingRecord(two.id),
      pingRecord(two.id, { n: 2, userAgent: '{"a", NULL, \'b\'}', method: 'NULL', remoteAddr: '' }),
    ];

    await store().transaction((tx) => tx.pings.insertMany(records));
    await store().transaction((tx) => tx.pings.insertMany([]));

    const found = [
      ...(await store().pings.latest(one.id, 10)),
      ...(await store().pings.latest(two.id, 10)).reverse(),
    ];
    assert.deepEqual(
      found.map(plain),
      records.map(({ body, ...rest }) => ({ ...rest, bodySize: body?.length ?? 0 })),
    );
  });

  test('are listed newest first, at most as many as asked for', async () => {
    const check = await givenCheck(store());
    await insertPings(store(), check, [3, 1, 2, 10, 9]);

    assert.deepEqual(numbers(await store().pings.latest(check.id, 3)), [10, 9, 3]);
    assert.deepEqual(numbers(await store().pings.latest(check.id, 100)), [10, 9, 3, 2, 1]);
    assert.deepEqual(await store().pings.latest(check.id, 0), []);
  });

  test('before one of them are listed in ascending order, from an instant on', async () => {
    const check = await givenCheck(store());
    await insertPings(store(), check, [1, 2, 3, 4, 5]);

    assert.deepEqual(numbers(await store().pings.before(check.id, 5, MICROSECOND + 2)), [2, 3, 4]);
    assert.deepEqual(numbers(await store().pings.before(check.id, 1, 0)), []);
  });

  test('are pruned oldest first, at most so many at once, for the one check', async () => {
    const [mine, theirs] = [await givenCheck(store()), await givenCheck(store())];
    await insertPings(store(), mine, [1, 2, 3, 4, 5]);
    await insertPings(store(), theirs, [1]);
    const prune = () => store().transaction((tx) => tx.pings.prune(mine.id, 3, 2));

    assert.equal(await prune(), 2);
    assert.deepEqual(numbers(await store().pings.latest(mine.id, 10)), [5, 4, 3]);
    assert.deepEqual([await prune(), await prune()], [1, 0]);
    assert.deepEqual(numbers(await store().pings.latest(mine.id, 10)), [5, 4]);
    assert.deepEqual(numbers(await store().pings.latest(theirs.id, 10)), [1]);
  });

  test('tell when the oldest that is kept came', async () => {
    const check = await givenCheck(store());
    assert.equal(await store().pings.oldestAt(check.id), null);

    await insertPings(store(), check, [7, 3, 5]);

    assert.equal(await store().pings.oldestAt(check.id), MICROSECOND + 3);
  });

  test('of another check are not seen', async () => {
    const [mine, theirs] = [await givenCheck(store()), await givenCheck(store())];
    await insertPings(store(), theirs, [1, 2]);

    assert.deepEqual(await store().pings.latest(mine.id, 10), []);
    assert.deepEqual(await store().pings.before(mine.id, 10, 0), []);
    assert.equal(await store().pings.body(mine.id, 1), null);
  });

  test('with a number that is taken are a conflict', async () => {
    const check = await givenCheck(store());
    await insertPings(store(), check, [1]);

    await assert.rejects(insertPings(store(), check, [1]), isConflict);
    await assert.rejects(insertPings(store(), check, [2, 1]), isConflict);
    assert.deepEqual(numbers(await store().pings.latest(check.id, 10)), [1]);
  });
}

export function flips(store: () => Store): void {
  const EVER = { from: null, before: null };

  test('keep every field', async () => {
    const check = await givenCheck(store());
    const record = flipRecord(check.id, { oldStatus: 'up', newStatus: 'down', reason: 'timeout' });

    const [{ isPlanned, ...inserted } = assert.fail()] = await store().transaction((tx) =>
      tx.flips.insertMany([record]),
    );

    assert.equal(isPlanned, false);
    assert.deepEqual(plain(inserted), { ...record, id: inserted.id });
    assert.deepEqual(await store().flips.byId(inserted.id), inserted);
    assert.deepEqual(await store().flips.ofCheck(check.id, EVER), [inserted]);
  });

  test('are listed newest first, the later of two at the same instant before the earlier', async () => {
    const check = await givenCheck(store());
    const at = (micros: number, newStatus: 'up' | 'down' | 'paused') =>
      flipRecord(check.id, { createdAt: MICROSECOND + micros, newStatus });

    await store().transaction((tx) =>
      tx.flips.insertMany([at(1, 'up'), at(2, 'down'), at(2, 'up'), at(0, 'paused')]),
    );
    await store().transaction((tx) => tx.flips.insertMany([]));

    const found = await store().flips.ofCheck(check.id, EVER);
    assert.deepEqual(
      found.map((flip) => [flip.createdAt - MICROSECOND, flip.newStatus]),
      [
        [2, 'up'],
        [2, 'down'],
        [1, 'up'],
        [0, 'paused'],
      ],
    );
  });

  test('are read in pages, without a gap and none twice', async () => {
    const check = await givenCheck(store());
    const times = [1, 2, 2, 2, 3, 4, 4].map((micros) => MICROSECOND + micros);
    await store().transaction((tx) =>
      tx.flips.insertMany(times.map((createdAt) => flipRecord(check.id, { createdAt }))),
    );
    const span = { from: MICROSECOND + 2, before: null };

    const pages: Flip[][] = [];
    for (let after: Flip | null = null; ; after = pages.at(-1)?.at(-1) ?? null) {
      const page: Flip[] = await store().flips.ofCheck(check.id, span, { after, limit: 2 });
      if (page.length === 0) break;
      pages.push(page);
    }

    assert.deepEqual(pages.flat(), await store().flips.ofCheck(check.id, span));
    assert.deepEqual(
      pages.map(({ length }) => length),
      [2, 2, 2],
    );
  });

  test('in a span are those from its beginning on and before its end', async () => {
    const check = await givenCheck(store());
    const times = [1, 2, 3, 4].map((micros) => MICROSECOND + micros);
    await store().transaction((tx) =>
      tx.flips.insertMany(times.map((createdAt) => flipRecord(check.id, { createdAt }))),
    );

    const inSpan = async (from: number | null, before: number | null) =>
      (await store().flips.ofCheck(check.id, { from, before })).map((flip) => flip.createdAt - MICROSECOND);

    assert.deepEqual(await inSpan(MICROSECOND + 2, MICROSECOND + 4), [3, 2]);
    assert.deepEqual(await inSpan(MICROSECOND + 3, null), [4, 3]);
    assert.deepEqual(await inSpan(null, MICROSECOND + 2), [1]);
  });

  test('before an instant are pruned, but the last of each check', async () => {
    const [one, other] = [await givenCheck(store()), await givenCheck(store())];
    const at = ({ id }: Check, micros: number) => flipRecord(id, { createdAt: micros });
    await store().transaction((tx) =>
      tx.flips.insertMany([at(one, 1), at(one, 4), at(one, 3), at(one, 1), at(other, 2), at(other, 5)]),
    );
    const left = async () => {
      const flips = await Promise.all([one, other].map(({ id }) => store().flips.ofCheck(id, EVER)));
      return flips.flat().map(({ createdAt }) => createdAt);
    };

    await pruneFlips(store(), { before: 4 });
    assert.deepEqual(await left(), [4, 3, 5, 2]);
    await pruneFlips(store(), { before: 6 });
    assert.deepEqual(await left(), [4, 5]);
    await pruneFlips(store(), { before: LARGEST });

    assert.deepEqual(await left(), [4, 5]);
  });

  test('are looked at once when they are pruned, oldest first, so many at a time', async () => {
    const first = await givenCheck(store());
    const checks = [first];
    for (let n = 0; n < 4; n++) checks.push(await givenCheck(store()));
    await store().transaction((tx) =>
      tx.flips.insertMany([
        ...checks.map(({ id }) => flipRecord(id, { createdAt: 11 })),
        ...[11, 12, 13].map((createdAt) => flipRecord(first.id, { createdAt })),
      ]),
    );
    const left = async () => (await store().flips.ofCheck(first.id, EVER)).map(({ createdAt }) => createdAt);

    const seen = await pruneFlips(store(), { from: 11, before: 14, most: 2 }, left);

    // Two of the first check, four of the others, and two of the first one again.
    assert.deepEqual(seen, [[13, 12], [13, 12], [13, 12], [13], [13]]);
  });

  test('of which many were told go when all their deliveries have, some at a time', async () => {
    const { check, project } = await furnishedProject(store());
    const over = { state: 'delivered', nextAttemptAt: null, finishedAt: 2, createdAt: 2 } as const;
    await store().transaction(async (tx) => {
      const [flip] = await tx.flips.insertMany(
        [21, 21].map((createdAt) => flipRecord(check.id, { createdAt })),
      );
      assert.ok(flip);
      const channels = await Promise.all(
        Array.from({ length: 5 }, () => tx.channels.insert(channelRecord(project.id))),
      );
      await tx.deliveries.insertMany(channels.map(({ id }) => deliveryRecord(flip, id, over)));
      const deliveries = await tx.deliveries.ofCheck(check.id, 10);
      await tx.deliveries.addAttempts(
        deliveries.map(({ id }) => ({
          deliveryId: id,
          n: 1,
          startedAt: 2,
          duration: 1,
          error: '',
          ...NO_EXCHANGE,
        })),
      );
    });
    const counts = async () => [
      (await store().flips.ofCheck(check.id, EVER)).length,
      (await store().deliveries.ofCheck(check.id, 10)).length,
    ];

    const seen = await pruneFlips(store(), { from: 21, before: 22, most: 2 }, counts);

    assert.deepEqual(seen, [
      [2, 3],
      [2, 1],
      [1, 0],
      [1, 0],
    ]);
  });

  test('of which somebody is still to be told are not pruned, however old', async () => {
    const { check, channel } = await furnishedProject(store());
    const flips = await store().transaction(async (tx) => {
      const inserted = await tx.flips.insertMany(Array.from({ length: 3 }, () => flipRecord(check.id)));
      const over = { state: 'delivered', nextAttemptAt: null, finishedAt: MICROSECOND } as const;
      await tx.deliveries.insertMany(
        inserted.slice(0, 2).map((flip, index) => deliveryRecord(flip, channel.id, index === 0 ? {} : over)),
      );
      return inserted;
    });

    await pruneFlips(store(), { before: LARGEST });

    assert.deepEqual(
      (await store().flips.ofCheck(check.id, EVER)).map(({ id }) => id),
      [flips[2]?.id, flips[0]?.id],
    );
    assert.equal((await store().deliveries.ofCheck(check.id, 10)).length, 1);
  });

  test('of another check are not seen', async () => {
    const [mine, theirs] = [await givenCheck(store()), await givenCheck(store())];
    await store().transaction((tx) => tx.flips.insertMany([flipRecord(theirs.id)]));

    assert.deepEqual(await store().flips.ofCheck(mine.id, EVER), []);
  });
}

/** Prunes flips from `from` on in pieces; says what `look` saw after each piece. */
async function pruneFlips<T>(
  store: Store,
  { from = 0, before, most = 100 }: { from?: number; before: number; most?: number },
  look?: () => Promise<T>,
): Promise<T[]> {
  const seen: T[] = [];
  let place: FlipPlace | null = { ...BEFORE_ALL_FLIPS, createdAt: from - 1 };
  while (place !== null) {
    const after: FlipPlace = place;
    place = await store.transaction((tx) => tx.flips.prune({ before, after, most }));
    if (look !== undefined) seen.push(await look());
  }
  return seen;
}

export function deliveries(opened: () => TestStore): void {
  /** A delivery to the project's channel, made at this instant, and finished unless it is open. */
  const deliver = async ({ check, channel }: Furnished, at: number, isOpen = false): Promise<string> => {
    const uuid = unique();
    await opened().store.transaction(async (tx) => {
      const [flip] = await tx.flips.insertMany([flipRecord(check.id)]);
      assert.ok(flip);
      const progress = isOpen
        ? ({ state: 'open', nextAttemptAt: at, finishedAt: null } as const)
        : ({ state: 'delivered', nextAttemptAt: null, finishedAt: at } as const);
      await tx.deliveries.insertMany([
        deliveryRecord(flip, channel.id, { uuid, createdAt: at, ...progress }),
      ]);
    });
    return uuid;
  };
  const errorOf = async (uuid: string) =>
    (await opened().driver.all<{ error: string }>('select error from deliveries where uuid = $1', [uuid]))[0]
      ?.error;
  const verdict = 'no such phone';

  test('keep what was told until it is forgotten, the first time alone', async () => {
    const { store } = opened();
    const mine = await furnishedProject(store);
    await deliver(mine, MICROSECOND, true);
    const [{ id } = assert.fail()] = await store.deliveries.ofCheck(mine.check.id, 1);
    assert.equal(await store.deliveries.keptStory(id), null);
    await store.transaction((tx) => tx.deliveries.keepStories([{ id, story: 'Zürich' }]));
    await store.transaction((tx) => tx.deliveries.keepStories([{ id, story: 'another' }]));

    assert.equal(await store.deliveries.keptStory(id), 'Zürich');
    await store.transaction((tx) => tx.deliveries.forgetStories([id]));
    assert.equal(await store.deliveries.keptStory(id), null);
  });

  test('are found by their flip and channel once they are delivered', async () => {
    const { store } = opened();
    const mine = await furnishedProject(store);
    const [told, open] = [await deliver(mine, MICROSECOND), await deliver(mine, MICROSECOND, true)];
    const records = await store.deliveries.ofCheck(mine.check.id, 2);
    const messages = await Promise.all(
      records.map(({ flipId, channelId }) => store.deliveries.delivered(flipId, channelId)),
    );

    assert.deepEqual(
      records.map(({ uuid }) => uuid),
      [open, told],
    );
    assert.deepEqual(messages, [null, { deliveryId: told, providerId: null }]);
    const [, { id, flipId, channelId } = assert.fail()] = records;
    assert.equal(await store.deliveries.delivered(flipId, 0), null);
    await store.transaction((tx) => tx.deliveries.keepProviderIds([{ id, providerId: '$zürich' }]));
    assert.deepEqual(await store.deliveries.delivered(flipId, channelId), {
      deliveryId: told,
      providerId: '$zürich',
    });
  });

  test('take what a provider tells afterwards, and name their channel', async () => {
    const mine = await furnishedProject(opened().store);
    const theirs = await furnishedProject(opened().store);
    const [uuid, other] = [await deliver(mine, MICROSECOND), await deliver(theirs, MICROSECOND)];

    const channel = await opened().store.transaction((tx) =>
      tx.deliveries.amend({ uuid }, MICROSECOND, verdict),
    );

    assert.deepEqual(channel, { id: mine.channel.id, projectId: mine.project.id });
    assert.deepEqual([await errorOf(uuid), await errorOf(other)], [verdict, '']);
  });

  test('that are too old or unknown stay as they are', async () => {
    const mine = await furnishedProject(opened().store);
    const uuid = await deliver(mine, MICROSECOND);

    const old = await opened().store.transaction((tx) =>
      tx.deliveries.amend({ uuid }, MICROSECOND + 1, verdict),
    );
    const unknown = await opened().store.transaction((tx) =>
      tx.deliveries.amend({ uuid: unique() }, 0, verdict),
    );

    assert.deepEqual([old, unknown], [null, null]);
    assert.equal(await errorOf(uuid), '');
    assert.deepEqual(await opened().store.channels.ofProject(mine.project.id), [mine.channel]);
  });

  test('are as old as the try that ended them, and those that are open as old as they are', async () => {
    const mine = await furnishedProject(opened().store);
    const open = await deliver(mine, MICROSECOND, true);
    const ended = unique();
    await opened().store.transaction(async (tx) => {
      const [flip] = await tx.flips.insertMany([flipRecord(mine.check.id)]);
      const times = { createdAt: MICROSECOND, finishedAt: MICROSECOND + 5 };
      const record = { uuid: ended, state: 'delivered', nextAttemptAt: null, ...times } as const;
      if (flip !== undefined) {
        await tx.deliveries.insertMany([deliveryRecord(flip, mine.channel.id, record)]);
      }
    });
    const amend = (uuid: string, since: number) =>
      opened().store.transaction((tx) => tx.deliveries.amend({ uuid }, since, verdict));

    assert.deepEqual(
      [await amend(open, MICROSECOND + 1), await amend(open, MICROSECOND)],
      [null, { id: mine.channel.id, projectId: mine.project.id }],
    );
    assert.deepEqual(
      [await amend(ended, MICROSECOND + 6), await amend(ended, MICROSECOND + 5)],
      [null, { id: mine.channel.id, projectId: mine.project.id }],
    );
  });

  test('are leased in turn: of each account as many as its turn allows, those due longest first', async () => {
    const mine = await furnishedProject(opened().store);
    const now = MICROSECOND + 10;
    const uuids = await opened().store.transaction(async (tx) => {
      const flips = await tx.flips.insertMany(Array.from({ length: 6 }, () => flipRecord(mine.check.id)));
      const others = await Promise.all(flips.map(() => tx.channels.insert(channelRecord(mine.project.id))));
      const rows = flips.map((flip, index) =>
        deliveryRecord(flip, others[index]?.id ?? assert.fail(), {
          accountId: index < 4 ? 71 : 72,
          nextAttemptAt: now - index,
        }),
      );
      await tx.deliveries.insertMany(rows);
      return rows.map(({ uuid }) => uuid);
    });
    const lease = (turns: readonly Turn[], busyChannels: readonly number[] = []) =>
      opened().store.transaction((tx) => tx.deliveries.lease({ now, until: now + 90, turns, busyChannels }));

    const waiting = await opened().store.transaction((tx) =>
      tx.deliveries.waitingAccounts({ above: 70, upTo: 80, limit: 10 }),
    );
    const one = await lease([{ accountId: 71, limit: 2 }]);
    const both = await lease([
      { accountId: 71, limit: 1 },
      { accountId: 72, limit: 9 },
    ]);

    assert.deepEqual(waiting, [
      { id: 71, dueAt: now - 3 },
      { id: 72, dueAt: now - 5 },
    ]);
    assert.deepEqual(
      [one, both].map((rows) => rows.map(({ uuid }) => uuids.indexOf(uuid)).toSorted()),
      [
        [2, 3],
        [1, 4, 5],
      ],
    );
    const left = await opened().store.transaction((tx) =>
      tx.deliveries.waitingAccounts({ above: 70, upTo: 80, limit: 10 }),
    );
    assert.deepEqual(left, [{ id: 71, dueAt: now }]);
  });

  test('to a channel that pauses wait until its end, but for those that are leased or due later', async () => {
    const mine = await furnishedProject(opened().store);
    const now = MICROSECOND + 10;
    await opened().store.transaction(async (tx) => {
      const flips = await tx.flips.insertMany(Array.from({ length: 3 }, () => flipRecord(mine.check.id)));
      const times = [
        { nextAttemptAt: now, leasedUntilAt: now + 5 },
        { nextAttemptAt: now },
        { nextAttemptAt: now + 99 },
      ];
      await tx.deliveries.insertMany(
        flips.map((flip, index) => deliveryRecord(flip, mine.channel.id, times[index])),
      );

      await tx.channels.pause(mine.channel, now + 50);
      await tx.channels.pause(mine.channel, now + 20);
      await tx.deliveries.postponeTo(mine.channel.id, now + 50);
    });

    const rows = await opened().driver.all<{ at: number }>(
      'select next_attempt_at as at from deliveries where check_id = $1 order by id',
      [mine.check.id],
    );
    assert.deepEqual(
      rows.map(({ at }) => at),
      [now, now + 50, now + 99],
    );
    assert.equal((await opened().store.channels.byId(mine.channel.id))?.pausedUntilAt, now + 50);
    await opened().store.transaction((tx) => tx.channels.endPause(mine.channel));
    assert.equal((await opened().store.channels.byId(mine.channel.id))?.pausedUntilAt, null);
  });

  test('that have to wait for an earlier one are due at its turn, and right after its end', async () => {
    const mine = await furnishedProject(opened().store);
    const first = await deliver(mine, MICROSECOND, true);
    await deliver(mine, MICROSECOND, true);
    await deliver(mine, MICROSECOND, true);
    const turns = async () => {
      const rows = await opened().driver.all<{ at: number | null }>(
        'select next_attempt_at as at from deliveries where check_id = $1 order by id',
        [mine.check.id],
      );
      return rows.map(({ at }) => at && at - MICROSECOND);
    };
    const now = MICROSECOND + 10;
    const claim = { now, until: now + 90, turns: [{ accountId: 0, limit: 1_000 }], busyChannels: [] };

    const claimed = await opened().store.transaction(async (tx) => {
      const found = await tx.deliveries.lease(claim);
      await tx.deliveries.holdBack(now, [0]);
      return found.filter(({ checkId }) => checkId === mine.check.id);
    });

    assert.deepEqual(
      claimed.map(({ uuid }) => uuid),
      [first],
    );
    assert.deepEqual(await turns(), [0, 100, 100]);

    const over = { state: 'delivered', nextAttemptAt: null, finishedAt: now + 5 } as const;
    const ended = claimed.map((delivery) => ({ ...delivery, ...over }));
    await opened().store.transaction(async (tx) => {
      await tx.deliveries.settle(ended);
      await tx.deliveries.releaseNext(ended, now + 5);
    });

    assert.deepEqual(await turns(), [null, 15, 100]);
  });

  test('wait by the thousand behind one that is being tried, and come due with it', async () => {
    const mine = await furnishedProject(opened().store);
    await deliver(mine, MICROSECOND + 100, true);
    const waiting = 12_000;
    const now = MICROSECOND + 10;

    await opened().store.transaction(async (tx) => {
      const flips = await tx.flips.insertMany(
        Array.from({ length: waiting }, () => flipRecord(mine.check.id)),
      );
      await tx.deliveries.insertMany(
        flips.map((flip) => deliveryRecord(flip, mine.channel.id, { nextAttemptAt: now })),
      );
      for (let held = 0; held < waiting; held += 4_000) await tx.deliveries.holdBack(now, [0]);
    });

    const turns = await opened().driver.all<{ at: number; count: number }>(
      'select next_attempt_at as at, count(*) as count from deliveries where check_id = $1 group by next_attempt_at',
      [mine.check.id],
    );
    assert.deepEqual(
      turns.map(({ at, count }) => [at - MICROSECOND, Number(count)]),
      [[100, waiting + 1]],
    );
  });

  test('that are finished and old are pruned, for the one check, at most so many at once', async () => {
    const [mine, theirs] = [await furnishedProject(opened().store), await furnishedProject(opened().store)];
    const [old, open] = [await deliver(mine, MICROSECOND - 1), await deliver(mine, MICROSECOND - 1, true)];
    const [late, other] = [await deliver(mine, MICROSECOND), await deliver(theirs, MICROSECOND - 1)];
    await deliver(mine, MICROSECOND - 2);
    const prune = () =>
      opened().store.transaction((tx) => tx.deliveries.prune(mine.check.id, MICROSECOND, 1));

    assert.deepEqual([await prune(), await prune(), await prune()], [1, 1, 0]);

    const left = [await errorOf(old), await errorOf(open), await errorOf(late), await errorOf(other)];
    assert.deepEqual(left, [undefined, '', '', '']);
  });

  test('tell how far they have come', async () => {
    const mine = await furnishedProject(opened().store);
    await deliver(mine, MICROSECOND);
    const before = await opened().store.deliveries.progress();

    await deliver(mine, MICROSECOND);

    const after = await opened().store.deliveries.progress();
    assert.ok((after.lastId ?? 0) > (before.lastId ?? 0));
    assert.equal(after.openFlips, before.openFlips);
  });
}

function insertPings(store: Store, check: Check, ns: readonly number[]): Promise<void> {
  return store.transaction((tx) =>
    tx.pings.insertMany(ns.map((n) => pingRecord(check.id, { n, createdAt: MICROSECOND + n }))),
  );
}

function numbers(found: readonly { n: number }[]): number[] {
  return found.map(({ n }) => n);
}

function bytes(body: Uint8Array | null): number[] {
  return [...(body ?? [])];
}

export function pruning(store: () => Store): void {
  test('knows each check that was added once, until it is done', async () => {
    const check = await givenCheck(store());
    const add = () => store().transaction((tx) => tx.pruning.addMany([check.id]));
    assert.deepEqual(await store().pruning.next(0, 10), []);

    await add();
    await add();
    assert.deepEqual(await store().pruning.next(0, 10), [check.id]);
    assert.deepEqual(await store().pruning.next(check.id, 10), []);

    await store().transaction((tx) => tx.pruning.done(check.id));
    assert.deepEqual(await store().pruning.next(0, 10), []);
  });

  test('forgets a check that is deleted', async () => {
    const check = await givenCheck(store());
    await store().transaction((tx) => tx.pruning.addMany([check.id]));

    await store().transaction((tx) => tx.checks.delete(check));

    assert.deepEqual(await store().pruning.next(0, 10), []);
  });
}
