import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Shares } from './shares.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20240301;
const RUNS = 500;

const OWNERS = ['a', 'b', 'c', 'd', 'e'];

const step = fc.record({
  kind: fc.constantFrom('take', 'take', 'take', 'give back'),
  owner: fc.constantFrom(...OWNERS),
});
const total = fc.integer({ min: 1, max: 70 });
const steps = fc.array(step, { maxLength: 300 });

/** Takes the steps. `look` sees each one that took a place, with what was free before it. */
function play(
  shares: Shares<string>,
  total: number,
  taken: readonly { readonly kind: string; readonly owner: string }[],
  look: (owner: string, hasTaken: boolean, freeBefore: number) => void = () => undefined,
): void {
  for (const { kind, owner } of taken) {
    const free = total - shares.taken;
    if (kind === 'take') look(owner, shares.take(owner), free);
    else shares.giveBack(owner);
  }
}

test('owners never hold more places than there are, and one never more than half', () => {
  fc.assert(
    fc.property(total, steps, (total, taken) => {
      const shares = new Shares<string>(total);

      play(shares, total, taken, () => {
        const held = OWNERS.map((owner) => shares.heldBy(owner));
        assert.equal(
          held.reduce((sum, count) => sum + count, 0),
          shares.taken,
        );
        assert.ok(shares.taken <= total);
        assert.ok(Math.max(...held) <= Math.ceil(total / 2));
      });
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test('an owner that holds nothing gets every free place before owners that hold some', () => {
  fc.assert(
    fc.property(total, steps, (total, taken) => {
      const shares = new Shares<string>(total);
      play(shares, total, taken, (_owner, hasTaken, free) => assert.ok(free > 0 || !hasTaken));

      const free = total - shares.taken;
      assert.equal(shares.roomFor('newcomer') > 0, free > 0);
      for (const owner of OWNERS) assert.equal(shares.roomFor(owner) > 0, shares.heldBy(owner) < free);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test('the room of an owner is the number of places that it can take one after the other', () => {
  fc.assert(
    fc.property(total, steps, fc.constantFrom(...OWNERS), (total, taken, owner) => {
      const shares = new Shares<string>(total);
      play(shares, total, taken);
      const room = shares.roomFor(owner);

      let more = 0;
      while (shares.take(owner)) more++;

      assert.equal(more, room);
      assert.ok(shares.heldBy(owner) === 0 || shares.fullOwners().includes(owner));
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test('what is allotted can be taken, in turn, and is all that can be taken', () => {
  fc.assert(
    fc.property(total, steps, fc.nat({ max: 80 }), (total, taken, limit) => {
      const shares = new Shares<string>(total);
      play(shares, total, taken);
      const before = shares.taken;

      const allotted = shares.allot(OWNERS, limit);

      assert.equal(shares.taken, before, 'nothing is taken');
      const given = [...allotted.values()].reduce((sum, count) => sum + count, 0);
      // Round by round, as they are allotted.
      for (let round = 1; round <= Math.max(0, ...allotted.values()); round++) {
        for (const [owner, count] of allotted) if (count >= round) assert.ok(shares.take(owner));
      }
      assert.ok(given <= limit);
      const isOver = given === limit || OWNERS.every((owner) => shares.roomFor(owner) === 0);
      assert.ok(isOver, `${given} of ${limit}`);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test('several places are taken together if, and only if, they could be taken one after the other', () => {
  const places = fc.integer({ min: 1, max: 40 });
  fc.assert(
    fc.property(total, steps, fc.constantFrom(...OWNERS), places, (total, taken, owner, places) => {
      const [together, oneByOne] = [new Shares<string>(total), new Shares<string>(total)];
      for (const shares of [together, oneByOne]) play(shares, total, taken);
      const before = together.heldBy(owner);

      const areTaken = together.take(owner, places);

      let count = 0;
      while (count < places && oneByOne.take(owner)) count++;
      assert.equal(areTaken, count === places);
      assert.equal(together.heldBy(owner), areTaken ? oneByOne.heldBy(owner) : before);
      if (areTaken) together.giveBack(owner, places);
      assert.deepEqual(
        [together.heldBy(owner), together.taken],
        [before, oneByOne.taken - count],
        'all of them are given back',
      );
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test('owners that want all they can get end up with equal shares once places are given back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 70 }), fc.integer({ min: 1, max: 5 }), (total, count) => {
      const shares = new Shares<string>(total);
      const owners = OWNERS.slice(0, count);
      const takeAll = () => {
        for (const owner of owners) while (shares.take(owner));
      };
      takeAll();

      // The owner of the most gives back first, as messages that end come from the owner with most under way.
      for (let round = 0; round < total; round++) {
        const most = owners.toSorted((one, other) => shares.heldBy(other) - shares.heldBy(one))[0] ?? '';
        shares.giveBack(most);
        takeAll();
      }

      const held = owners.map((owner) => shares.heldBy(owner));
      assert.ok(Math.max(...held) - Math.min(...held) <= 1, `${held} of ${total}`);
      assert.ok(Math.min(...held) >= Math.floor(total / (count + 1)), `${held} of ${total}`);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});
