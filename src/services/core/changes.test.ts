import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Changes, ProjectChange } from '../../domain/change.ts';
import { ChangeFeed } from './changes.ts';

const touched = (projectId: number, ...checkIds: number[]): ProjectChange => ({
  projectId,
  checkIds,
  channelIds: [],
  touchesStatus: true,
});

/** A feed, what its subscriber to project 7 was told, and what went wrong. */
function startFeed() {
  const errors: unknown[] = [];
  const told: ProjectChange[] = [];
  const feed = new ChangeFeed((error) => errors.push(error));
  const subscription = feed.subscribe(7, (change) => told.push(change));
  return { feed, told, errors, subscription };
}

describe('subscribers', () => {
  test('are told at the next tick, once for all that came until then', () => {
    const { feed, told } = startFeed();

    feed.announce([touched(7, 1)]);
    feed.announce([touched(7, 2, 1), touched(8, 3)]);
    feed.receive([touched(7, 4)]);
    assert.deepEqual(told, []);
    feed.tick();
    feed.tick();

    assert.deepEqual(told, [touched(7, 1, 2, 4)]);
  });

  test('are told that their whole project may have changed when everything may have', () => {
    const { feed, told } = startFeed();

    feed.receive('everything');
    feed.tick();

    assert.deepEqual(told, [{ projectId: 7, checkIds: 'all', channelIds: 'all', touchesStatus: true }]);
  });

  test('are told nothing after they have gone, each for itself', () => {
    const { feed, told, subscription } = startFeed();
    const second: ProjectChange[] = [];
    const other = feed.subscribe(7, (change) => second.push(change));

    subscription[Symbol.dispose]();
    feed.announce([touched(7, 1)]);
    feed.tick();
    other[Symbol.dispose]();
    feed.announce([touched(7, 2)]);
    feed.tick();

    assert.deepEqual([told, second], [[], [touched(7, 1)]]);
  });

  test('that subscribe anew are told again, also if an old subscription ends twice', () => {
    const { feed, told, subscription } = startFeed();

    subscription[Symbol.dispose]();
    using _again = feed.subscribe(7, (change) => told.push(change));
    subscription[Symbol.dispose]();
    feed.announce([touched(7, 1)]);
    feed.tick();

    assert.deepEqual(told, [touched(7, 1)]);
  });

  test('are told nothing of what was changed before they subscribed', () => {
    const feed = new ChangeFeed(() => assert.fail());
    const told: ProjectChange[] = [];

    feed.announce([touched(7, 1)]);
    feed.subscribe(7, (change) => told.push(change));
    feed.announce([touched(7, 2)]);
    feed.tick();

    assert.deepEqual(told, [touched(7, 2)]);
  });

  test('that fail, at once or later, keep nobody else from being told', async () => {
    const { feed, told, errors } = startFeed();
    const [atOnce, later] = [new Error('at once'), new Error('later')];
    feed.subscribe(7, () => {
      throw atOnce;
    });
    feed.subscribe(7, async () => {
      throw later;
    });
    feed.subscribe(7, (change) => told.push(change));

    feed.announce([touched(7, 1)]);
    feed.tick();
    await nextTurn();

    assert.equal(told.length, 2);
    assert.deepEqual(errors, [atOnce, later]);
  });
});

describe('other nodes', () => {
  test('are told what this node has changed, and not what it heard from them', () => {
    const { feed } = startFeed();
    const published: Changes[] = [];
    feed.announce([touched(7, 1)]);
    feed.publishThrough(async (changes) => void published.push(changes));

    feed.announce([touched(8, 2)]);
    feed.receive([touched(9, 3)]);
    feed.tick();

    assert.deepEqual(published, [[touched(7, 1), touched(8, 2)]]);
  });

  test('are told one thing after the other, and subscribers here wait for none of it', async () => {
    const { feed, told } = startFeed();
    const published: Changes[] = [];
    const answer = Promise.withResolvers<void>();
    feed.publishThrough((changes) => {
      published.push(changes);
      return answer.promise;
    });

    for (const id of [1, 2, 3]) {
      feed.announce([touched(7, id)]);
      feed.tick();
    }
    assert.deepEqual(told, [touched(7, 1), touched(7, 2), touched(7, 3)]);
    assert.deepEqual(published, [[touched(7, 1)]]);
    answer.resolve();
    await feed.finish();

    assert.deepEqual(published, [[touched(7, 1)], [touched(7, 2, 3)]]);
  });

  test('are told later what they could not be told', async () => {
    const { feed } = startFeed();
    const published: Changes[] = [];
    let isAway = true;
    feed.publishThrough(async (changes) => {
      if (isAway) throw new Error('no connection');
      published.push(changes);
    });

    feed.announce([touched(7, 1)]);
    await feed.finish();
    feed.announce([touched(7, 2)]);
    isAway = false;
    await feed.finish();
    await feed.finish();

    assert.deepEqual(published, [[touched(7, 1, 2)]]);
  });

  test('are told nothing while there is no way to them, and nothing is tried', async () => {
    const { feed } = startFeed();
    const published: Changes[] = [];
    let isConnected = false;
    feed.publishThrough(
      async (changes) => void published.push(changes),
      () => isConnected,
    );

    for (const id of [1, 2]) {
      feed.announce([touched(7, id)]);
      await feed.finish();
    }
    assert.deepEqual(published, []);
    isConnected = true;
    await feed.finish();

    assert.deepEqual(published, [[touched(7, 1, 2)]]);
  });
});
