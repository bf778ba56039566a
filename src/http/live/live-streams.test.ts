import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { FakeClock } from '../../../test/fake-clock.ts';
import type { ProjectChange } from '../../domain/change.ts';
import { AppError } from '../../domain/errors.ts';
import { ChangeFeed } from '../../services/core/changes.ts';
import { LiveFeed, MAX_KEPT_BATCHES, MAX_NAMED_AT_ONCE } from '../../services/instance/live-feed.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { LiveStreams, type Viewer } from './live-streams.ts';

/** An answer to a client that reads as much as it is told to. */
class FakeResponse extends EventEmitter {
  readonly socket = Object.assign(new EventEmitter(), { readableEnded: false });
  readonly texts: string[] = [];
  writableEnded = false;
  destroyed = false;
  writableLength = 0;

  write(text: string | Buffer): void {
    this.texts.push(String(text));
  }

  end(): void {
    this.destroy();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

function start() {
  const clock = new FakeClock(0);
  const changes = new ChangeFeed((error) => {
    throw error;
  });
  const keys = new Map<number, string>();
  const work = { keysRead: 0, reads: 0, looks: 0, watches: 0 };
  const store = {
    checks: {
      keysOf: async (ids: readonly number[]) => {
        work.reads++;
        work.keysRead += ids.length;
        return ids.map((id) => ({ id, uniqueKey: keys.get(id) ?? `key ${id}` }));
      },
    },
    channels: { uuidsOf: async () => [] },
    marks: { rowsOf: () => 5 },
  };
  const vitals = {
    watch: async () => {
      work.watches++;
      return { sinceSweep: 400_000, stoppedSince: null };
    },
  };
  const feed = new LiveFeed({ store, clock }, changes, 'here');
  const live = new LiveStreams({ feed, vitals, clock, limits: { ...HTTP_LIMITS, maxStreams: 600 } });
  const projects = [{ id: 7, uuid: 'seven' }];
  const open = (
    key: string,
    { hasLeft = false, ...overrides }: Partial<Viewer> & { hasLeft?: boolean } = {},
  ) => {
    const response = new FakeResponse();
    response.socket.readableEnded = hasLeft;
    const look = async () => {
      work.looks++;
      return projects;
    };
    const viewer = { accountId: response.texts.length, key, look, ...overrides };
    const asResponse = response as unknown as ServerResponse;
    live.open({ ...viewer, accountId: live.count }, projects, null, asResponse)();
    return response;
  };
  const tick = async (seconds: number) => {
    clock.advance({ seconds });
    changes.tick();
    await live.tick();
    await live.settled();
  };
  const touch = (...checkIds: number[]) =>
    changes.announce([{ projectId: 7, checkIds, channelIds: [], touchesStatus: false }]);
  return { changes, live, feed, open, tick, touch, work, keys };
}

const changesIn = ({ texts }: FakeResponse) => texts.filter((text) => text.includes('"change"'));

test('five hundred streams cost one read of names and one text, however many pings come', async () => {
  const { open, tick, touch, work } = start();
  const streams = Array.from({ length: 500 }, (_, n) => open(`session ${n}`));

  for (let ping = 0; ping < 1_000; ping++) touch(ping % 50);
  await tick(0.4);
  for (let ping = 0; ping < 1_000; ping++) touch(ping % 50);
  await tick(0.4);

  assert.deepEqual([work.reads, work.keysRead], [1, 50]);
  assert.deepEqual(new Set(streams.map((stream) => changesIn(stream).length)), new Set([2]));
  assert.equal(new Set(streams.map((stream) => changesIn(stream)[0])).size, 1);
});

test('a check with a new address is told by its new key', async () => {
  const { changes, open, tick, touch, keys } = start();
  const stream = open('session');
  touch(1);
  await tick(1);

  keys.set(1, 'a new key');
  changes.announce([{ projectId: 7, checkIds: 'all', channelIds: [], touchesStatus: true }]);
  await tick(1);
  touch(1);
  await tick(1);

  const told = changesIn(stream).map((text) => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '').checks);
  assert.deepEqual(told, [['key 1'], 'all', ['a new key']]);
});

test('what happened while nobody watched a project is not overlooked in its names', async () => {
  const { feed, tick, changes, touch, keys } = start();
  const told = async () => {
    using _ = feed.watch({ id: 7, uuid: 'seven' });
    touch(1);
    changes.tick();
    return (await feed.tick())?.changes.get(7)?.checks;
  };
  const before = await told();
  await tick(121);
  keys.set(1, 'a new key');

  assert.deepEqual([before, await told()], [['key 1'], ['a new key']]);
});

test('changes that come within a moment after others wait for the next batch', async () => {
  const { open, tick, touch } = start();
  const stream = open('session');

  const told: number[] = [];
  for (let step = 0; step < 10; step++) {
    touch(step);
    await tick(0.1);
    told.push(changesIn(stream).length);
  }

  assert.deepEqual(told, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3]);
});

test('a beat is made once for all streams, and people are judged once for all their pages', async () => {
  const { open, tick, work } = start();
  for (let n = 0; n < 20; n++) open('session');
  await tick(0);
  work.watches = 0;

  for (let step = 0; step < 50; step++) await tick(0.1);

  assert.deepEqual([work.watches, work.looks], [1, 1]);
});

test('of many people at once a few are judged in each tick, until all have been', async () => {
  const { open, tick, work } = start();
  for (let n = 0; n < 40; n++) open(`session ${n}`);

  await tick(5);
  const first = work.looks;
  await tick(0.1);
  await tick(0.1);

  assert.deepEqual([first, work.looks], [16, 40]);
});

test('a client that does not read is cut off, and the others are not', async () => {
  const { open, tick, touch, live } = start();
  const [slow, fast] = [open('slow'), open('fast')];
  slow.writableLength = HTTP_LIMITS.maxUnreadStreamBytes + 1;

  touch(1);
  await tick(1);

  assert.deepEqual([slow.destroyed, fast.destroyed, live.count], [true, false, 1]);
  assert.deepEqual([changesIn(slow).length, changesIn(fast).length], [0, 1]);
});

test('a client that has closed its side before its stream is admitted gets none', () => {
  const { live, open } = start();

  const stream = open('a', { hasLeft: true });

  assert.deepEqual([live.count, stream.destroyed, stream.texts], [0, true, []]);
});

test('a client that closes its side has gone', () => {
  const { open, live } = start();
  const stream = open('session');

  stream.socket.emit('end');

  assert.equal(live.count, 0);
});

test('a stream goes on while nobody can say whether it may, and ends when it may not', async () => {
  const { open, tick } = start();
  const errors = [new Error('the database is away'), new AppError('storage_unavailable')];
  const stream = open('session', {
    look: async () => {
      throw errors.shift() ?? new AppError('not_signed_in');
    },
  });

  await tick(5);
  await tick(5);
  assert.equal(stream.destroyed, false);
  await tick(5);
  assert.equal(stream.destroyed, true);
  assert.match(stream.texts.at(-1) ?? '', /"end","reason":"not_signed_in"/);
});

test('rows are named up to a limit, beyond it the project says all', async () => {
  const { changes, open, tick, work } = start();
  const stream = open('session');
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
  const change = (checkIds: number[]): ProjectChange => ({
    projectId: 7,
    checkIds,
    channelIds: [],
    touchesStatus: false,
  });

  changes.announce([change(ids(0, 200))]);
  await tick(1);
  changes.announce([change(ids(0, 201))]);
  await tick(1);

  assert.equal(work.keysRead, 200);
  assert.ok(MAX_NAMED_AT_ONCE >= 200);
  const [named = '', all = ''] = changesIn(stream);
  assert.match(named, /"key 199"/);
  assert.match(all, /"checks":"all"/);
});

test('what is kept for those who come back is bounded', async () => {
  const { feed, open, tick, touch } = start();
  open('session');
  const before = feed.lastId;

  touch(1);
  await tick(1);
  assert.equal(feed.since(before, [7]).length, 1);
  for (let n = 0; n < MAX_KEPT_BATCHES; n++) {
    touch(1);
    await tick(1);
  }

  assert.equal(feed.since(before, [7]), 'everything');
  assert.deepEqual(feed.since(feed.lastId, [7]), []);
});

test('whoever left before their stream began is not counted', () => {
  const { live } = start();
  const response = new FakeResponse();
  response.destroy();
  const viewer = { accountId: 1, key: 'session', look: async () => [] };

  live.open(viewer, [], null, response as unknown as ServerResponse)();

  assert.equal(live.count, 0);
});

test('all are judged again in turn, however many they are', async () => {
  const { open, tick } = start();
  const judged = new Set<number>();
  for (let n = 0; n < 500; n++) {
    open(`session ${n}`, {
      look: async () => {
        judged.add(n);
        return [];
      },
    });
  }

  // Each time the first ones are due again before the last ones had their turn.
  for (let step = 0; step < 40; step++) await tick(6);

  assert.equal(judged.size, 500);
});
