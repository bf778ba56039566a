import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DestinationLimiter } from './destination-limiter.ts';

/** Takes a turn that must be granted or queued. */
function granted(turn: ReturnType<DestinationLimiter['take']>): Promise<void> {
  return typeof turn === 'string' ? assert.fail(turn) : turn;
}

suite('turns', () => {
  test('so many go to a destination at once, and the others follow in order', async () => {
    const turns = new DestinationLimiter(4);
    const began: number[] = [];
    for (const n of [1, 2, 3, 4]) granted(turns.take('a', 1, 7)).then(() => began.push(n));
    await Promise.resolve();
    assert.deepEqual(began, [1, 2]);

    turns.end('a', 1, false);
    turns.end('a', 1, false);
    await Promise.resolve();

    assert.deepEqual(began, [1, 2, 3, 4]);
  });

  test('one destination does not wait for another', () => {
    const turns = new DestinationLimiter(1);
    granted(turns.take('a', 1, 7));

    granted(turns.take('b', 1, 8));

    assert.deepEqual(turns.busyChannels(), []);
  });

  test('whoever finds as many of its own waiting is turned away', () => {
    const turns = new DestinationLimiter(2);
    granted(turns.take('a', 1, 7));
    granted(turns.take('a', 1, 7));

    assert.equal(turns.take('a', 1, 8), 'busy');
  });

  test('an account that takes all it can get leaves room for another one', async () => {
    const turns = new DestinationLimiter(4);
    while (turns.take('a', 1, 7) !== 'busy');
    let hasBegun = false;

    granted(turns.take('a', 2, 8)).then(() => {
      hasBegun = true;
    });
    await Promise.resolve();

    assert.ok(hasBegun);
    assert.deepEqual(turns.busyChannels(), [7]);
  });

  test('those that wait start in turn, whoever has many waiting', async () => {
    const turns = new DestinationLimiter(8);
    const began: string[] = [];
    const take = (account: number, name: string) => {
      const turn = turns.take('a', account, account);
      if (turn !== 'busy' && turn !== 'silent') turn.then(() => began.push(name));
    };
    for (let n = 1; n <= 8; n++) take(1, `one ${n}`);
    for (let n = 1; n <= 4; n++) take(2, `two ${n}`);
    await Promise.resolve();
    assert.deepEqual(began, ['one 1', 'one 2', 'one 3', 'one 4', 'two 1', 'two 2']);

    for (let n = 0; n < 3; n++) turns.end('a', 1, false);
    await Promise.resolve();

    assert.deepEqual(began.slice(6), ['two 3', 'one 5', 'one 6']);
  });

  test('a channel is busy as long as a message of its account waits where it leads', () => {
    const turns = new DestinationLimiter(4);
    for (const channel of [6, 7, 8, 9]) granted(turns.take('a', 1, channel));
    assert.deepEqual(turns.busyChannels(), [8, 9]);

    assert.equal(turns.end('a', 1, false), false);
    assert.equal(turns.end('a', 1, false), true);

    assert.deepEqual(turns.busyChannels(), []);
  });
});

suite('a destination that does not answer', () => {
  /** Three tries in a row time out. */
  function silent(): DestinationLimiter {
    const turns = new DestinationLimiter(8);
    for (let n = 0; n < 3; n++) {
      granted(turns.take('a', 1, 7));
      turns.end('a', 1, true);
    }
    return turns;
  }

  test('has one try at a time', () => {
    const turns = silent();
    granted(turns.take('a', 1, 7));

    assert.equal(turns.take('a', 1, 8), 'silent');

    turns.end('a', 1, true);
    granted(turns.take('a', 1, 8));
    assert.equal(turns.take('a', 1, 7), 'silent');
  });

  test('has as many as others once it answers', () => {
    const turns = silent();
    granted(turns.take('a', 1, 7));

    turns.end('a', 1, false);

    granted(turns.take('a', 1, 7));
    granted(turns.take('a', 1, 8));
  });

  test('is as ever for another account, and so are other destinations', () => {
    const turns = silent();
    granted(turns.take('a', 1, 7));

    for (const [destination, account] of [
      ['a', 2],
      ['a', 2],
      ['b', 1],
      ['b', 1],
    ] as const) {
      granted(turns.take(destination, account, 9));
    }
  });

  test('starts those that waited already one at a time', async () => {
    const turns = new DestinationLimiter(8);
    let began = 0;
    for (let n = 0; n < 8; n++) granted(turns.take('a', 1, 7)).then(() => began++);
    await Promise.resolve();
    assert.equal(began, 4);

    const startedAfter: number[] = [];
    for (let n = 0; n < 7; n++) {
      turns.end('a', 1, true);
      await Promise.resolve();
      startedAfter.push(began);
    }

    assert.deepEqual(startedAfter, [5, 6, 6, 6, 6, 7, 8]);
  });
});
