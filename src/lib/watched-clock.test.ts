import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FakeClock } from '../../test/fake-clock.ts';
import { seconds } from './instant.ts';
import { WatchedClock } from './watched-clock.ts';

const START = 1_709_294_400_000_000;

suite('the clock of a node', () => {
  test("goes by the machine's clock where there is no reference", async () => {
    const machine = new FakeClock(START);
    const clock = new WatchedClock(machine);

    await clock.look();
    machine.jump({ days: 1 });

    assert.equal(clock.now(), START + seconds(86_400));
    assert.equal(clock.ahead, null);
  });

  test('notices that it was set, either way, until somebody has looked', async () => {
    for (const jump of [{ seconds: 2 }, { seconds: -2 }, { days: 1 }, { days: -1 }]) {
      const machine = new FakeClock(START);
      const clock = new WatchedClock(machine);
      machine.advance({ hours: 1 });
      assert.equal(clock.hasJumped(), false);

      machine.jump(jump);
      assert.equal(clock.hasJumped(), true);
      await clock.look();

      assert.equal(clock.hasJumped(), false);
    }
  });

  test("goes by the reference once that is known, whatever happens to the machine's clock", async () => {
    const machine = new FakeClock(START + seconds(100));
    const reference = new FakeClock(START);
    const clock = new WatchedClock(machine, async () => reference.now());

    await clock.look();
    assert.deepEqual([clock.now(), clock.ahead], [START, seconds(100)]);

    machine.advance({ seconds: 3 });
    machine.jump({ days: 1 });
    assert.equal(clock.now(), START + seconds(3));
  });

  test('takes half of the time that the answer took for its age', async () => {
    const machine = new FakeClock(START);
    const clock = new WatchedClock(machine, async () => {
      machine.advance({ seconds: 2 });
      return START + seconds(50);
    });

    await clock.look();

    assert.equal(clock.now(), START + seconds(51));
  });

  test('is not moved by what may be the delay of an answer, but by more', async () => {
    const machine = new FakeClock(START);
    let answer = START;
    const clock = new WatchedClock(machine, async () => answer);
    await clock.look();

    for (const off of [0.2, -0.2]) {
      answer = START + seconds(off);
      await clock.look();
      assert.equal(clock.now(), START);
    }
    answer = START - seconds(0.3);
    await clock.look();

    assert.equal(clock.now(), answer);
  });

  test('goes on by what it knew when the reference does not answer', async () => {
    const machine = new FakeClock(START + seconds(100));
    let isAway = false;
    const clock = new WatchedClock(machine, async () => {
      if (isAway) throw new Error('away');
      return START;
    });
    await clock.look();
    isAway = true;
    machine.advance({ seconds: 7 });

    await assert.rejects(clock.look());

    assert.equal(clock.now(), START + seconds(7));
  });
});
