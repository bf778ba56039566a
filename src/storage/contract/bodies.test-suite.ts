import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestStore } from '../../../test/engines.ts';
import { givenCheck, givenProject, pingRecord } from '../../../test/records.ts';
import type { Check } from '../../domain/check/check.ts';
import type { NewPing } from '../../domain/ping/ping.ts';
import type { BodyMove, ObjectDeletion, Store, Writes } from '../store.ts';

/** Later than any claim of these tests. */
const END_OF_TIME = 1_000_000;

export function bodies(opened: () => TestStore): void {
  const store = (): Store => opened().store;
  const write = <T>(work: (tx: Writes) => Promise<T>): Promise<T> => store().transaction(work);

  /** A check whose pings have bodies of these lengths. */
  const pinged = async (lengths: readonly number[]): Promise<{ check: Check; pings: NewPing[] }> => {
    const check = await givenCheck(store());
    const pings = lengths.map((length, index) =>
      pingRecord(check.id, { n: index + 1, body: new Uint8Array(length).fill(index + 1) }),
    );
    await write((tx) => tx.pings.insertMany(pings));
    return { check, pings };
  };
  /** A check with so many pings, whose bodies are all to move from instant 1 on. */
  const queued = async (count = 1): Promise<{ check: Check; moves: BodyMove[] }> => {
    const { check, pings } = await pinged(Array<number>(count).fill(101));
    await write((tx) => tx.bodies.queueMoves(pings, 1));
    return { check, moves: await movesOf(check) };
  };
  /** The pings whose bodies lie apart from them, in the database. */
  const apart = async ({ id }: Check): Promise<number[]> => {
    const rows = await opened().driver.all<{ n: number }>(
      'select n from ping_bodies where check_id = $1 order by n',
      [id],
    );
    return rows.map(({ n }) => n);
  };
  // The database is shared with other tests and has bodies of theirs.
  const movesOf = async (check: Check, now = END_OF_TIME) =>
    (await store().bodies.dueMoves(now, 1_000))
      .filter((move) => move.checkId === check.id)
      .sort((one, two) => one.n - two.n);
  const deletionOf = async ({ uuid }: Check, now = END_OF_TIME): Promise<ObjectDeletion | null> => {
    const due = await store().bodies.dueDeletion(now);
    if (due !== null) assert.equal(due.checkUuid, uuid, 'each test finishes the deletions it began');
    return due;
  };
  const claim = async (move: BodyMove, until = 100) => {
    const claimed = await write((tx) => tx.bodies.claimMove(move, until));
    assert.ok(claimed);
    return claimed;
  };
  const finished = async (deletion: ObjectDeletion | null) => {
    assert.ok(deletion);
    await write((tx) => tx.bodies.finishDeletion(deletion));
  };

  test('of more than 100 bytes lie apart from their pings', async () => {
    const { check } = await pinged([0, 100, 101, 1_000_000]);

    assert.deepEqual(await apart(check), [3, 4]);
  });

  test('that lie apart go with their pings, for the one check', async () => {
    const [mine, theirs] = [await pinged([101, 5, 102, 103, 104]), await pinged([101])];
    const prune = (upTo: number, most: number) => write((tx) => tx.pings.prune(mine.check.id, upTo, most));

    assert.equal(await prune(4, 2), 2);
    assert.deepEqual(await apart(mine.check), [3, 4, 5]);
    assert.equal(await prune(4, 10), 2);
    assert.deepEqual(await apart(mine.check), [5]);
    assert.deepEqual(await apart(theirs.check), [1]);
  });

  test('that lie apart go with their check', async () => {
    const [mine, theirs] = [await pinged([101, 1_000_000]), await pinged([101])];

    await write((tx) => tx.checks.delete(mine.check));

    assert.deepEqual(await apart(mine.check), []);
    assert.deepEqual(await apart(theirs.check), [1]);
  });

  test('that are not to move can be read, and leave nothing to remove', async () => {
    const { check, pings } = await pinged([101, 102, 103]);

    assert.ok(
      Buffer.from((await store().pings.body(check.id, 2)) ?? []).equals(pings[1]?.body ?? assert.fail()),
    );
    assert.equal(await store().pings.objectOf(check.id, 2), null);

    await write((tx) => tx.pings.prune(check.id, 1, 10));
    assert.equal(await deletionOf(check), null);
    await write((tx) => tx.checks.delete(check));
    assert.equal(await deletionOf(check), null);
  });

  test('are queued to move from an instant on, with all that it takes to do so', async () => {
    const { check, moves } = await queued(2);

    assert.deepEqual(
      moves.map((move) => ({ ...move })),
      [1, 2].map((n) => ({ checkId: check.id, checkUuid: check.uuid, n, attempts: 0 })),
    );
    assert.equal((await movesOf(check, 1)).length, 2);
    assert.equal((await movesOf(check, 0)).length, 0);
    await write((tx) => tx.bodies.queueMoves([], 1));
  });

  test('are claimed by one, until the claim runs out', async () => {
    const { check, moves } = await queued();
    const [move] = moves;
    assert.ok(move);

    const claims = await Promise.all(
      Array.from({ length: 5 }, () => write((tx) => tx.bodies.claimMove(move, 100))),
    );

    assert.deepEqual(
      claims.filter((one) => one !== null).map(({ n, attempts }) => [n, attempts]),
      [[1, 1]],
    );
    assert.deepEqual(await movesOf(check, 99), []);
    assert.equal((await movesOf(check, 100)).length, 1);
  });

  test('leave the database when they have moved, and their size stays', async () => {
    const { check, moves } = await queued(2);
    const [move] = moves;
    assert.ok(move);

    await write(async (tx) => tx.bodies.finishMove(await claimedIn(tx, move)));

    assert.equal(await store().pings.body(check.id, 1), null);
    assert.equal((await store().pings.objectOf(check.id, 1))?.size, 101);
    assert.equal((await store().pings.body(check.id, 2))?.length, 101);
    assert.equal(await store().pings.objectOf(check.id, 2), null);
    assert.deepEqual(await apart(check), [2]);
    assert.deepEqual(
      (await store().pings.latest(check.id, 10)).map(({ bodySize }) => bodySize),
      [101, 101],
    );
    assert.deepEqual(
      (await movesOf(check)).map(({ n }) => n),
      [2],
    );
    assert.equal(await deletionOf(check), null);
  });

  test('are in one of both places at any time while a move ends', async () => {
    const { check, moves } = await queued();
    const [move] = moves;
    assert.ok(move);
    const places = async () => [
      (await store().pings.body(check.id, 1))?.length,
      (await store().pings.objectOf(check.id, 1))?.size,
    ];

    await write(async (tx) => {
      await tx.bodies.finishMove(await claimedIn(tx, move));
      assert.deepEqual(await places(), [101, undefined]);
    });

    assert.deepEqual(await places(), [undefined, 101]);
  });

  test('that two have moved are as if one had', async () => {
    const { check, moves } = await queued();
    const [move] = moves;
    assert.ok(move);

    await write((tx) => tx.bodies.finishMove(move));
    await write((tx) => tx.bodies.finishMove(move));

    assert.equal((await store().pings.objectOf(check.id, 1))?.size, 101);
    assert.equal(await deletionOf(check), null);
  });

  test('are given back by whoever holds the claim, and by nobody else', async () => {
    const { check, moves } = await queued();
    const [move] = moves;
    assert.ok(move);
    const first = await claim(move, 100);
    const second = await claim(first, 200);

    await write((tx) => tx.bodies.postponeMove(first, 5));
    assert.deepEqual(await movesOf(check, 199), []);
    await write((tx) => tx.bodies.postponeMove(second, 5));
    assert.deepEqual(
      (await movesOf(check, 5)).map(({ attempts }) => attempts),
      [2],
    );
  });

  test('of a ping that is gone when the upload ends are to be removed again', async () => {
    const { check, moves } = await queued();
    const [move] = moves;
    assert.ok(move);
    await write((tx) => tx.pings.prune(check.id, 1, 10));
    assert.equal(await deletionOf(check), null, 'nobody had claimed it');

    await write((tx) => tx.bodies.finishMove(move));

    const deletion = await deletionOf(check);
    assert.deepEqual([deletion?.checkUuid, deletion?.upTo], [check.uuid, 1]);
    await finished(deletion);
    assert.equal(await deletionOf(check), null);
  });

  test('of pruned pings are forgotten; what was or may be uploaded is removed after the last claim', async () => {
    const { check, moves } = await queued(5);
    const [one, two, three] = moves;
    assert.ok(one && two && three);
    await claim(one, 300);
    await claim(two, 500);
    await write(async (tx) => tx.bodies.finishMove(await claimedIn(tx, three)));

    await write((tx) => tx.pings.prune(check.id, 4, 10));

    assert.deepEqual(
      (await movesOf(check)).map(({ n }) => n),
      [5],
    );
    assert.equal(await deletionOf(check, 499), null);
    const deletion = await deletionOf(check, 500);
    assert.equal(deletion?.upTo, 4);
    await finished(deletion);
  });

  test('of pings whose turn to be pruned comes later still move', async () => {
    const { check } = await queued(3);

    const removed = await write((tx) => tx.pings.prune(check.id, 3, 1));

    assert.equal(removed, 1);
    assert.deepEqual(
      (await movesOf(check)).map(({ n }) => n),
      [2, 3],
    );
    assert.deepEqual(await apart(check), [2, 3]);
  });

  test('of a deleted check go as a whole, through its own project alone', async () => {
    const { check, moves } = await queued(2);
    const { project: other } = await givenProject(store());
    const [move] = moves;
    assert.ok(move);
    await write(async (tx) => tx.bodies.finishMove(await claimedIn(tx, move)));

    await write((tx) => tx.checks.delete({ ...check, projectId: other.id }));
    assert.equal(await deletionOf(check), null);
    assert.equal((await movesOf(check)).length, 1);

    await write((tx) => tx.checks.delete(check));
    assert.deepEqual(await movesOf(check), []);
    const deletion = await deletionOf(check, 0);
    assert.ok((deletion?.upTo ?? 0) > 1e15);
    await finished(deletion);
  });

  test('that never moved leave nothing to remove', async () => {
    const { check } = await queued(3);

    await write((tx) => tx.pings.prune(check.id, 1, 10));
    await write((tx) => tx.checks.delete(check));

    assert.equal(await deletionOf(check), null);
  });

  test('removals of one check are one, as wide as the widest, and void for those who work on a narrower one', async () => {
    const { check, moves } = await queued(3);
    for (const move of moves) await write(async (tx) => tx.bodies.finishMove(await claimedIn(tx, move)));
    await write((tx) => tx.pings.prune(check.id, 1, 10));
    const narrow = await deletionOf(check);
    assert.ok(narrow);
    const claimed = await write((tx) => tx.bodies.claimDeletion(narrow, 100));
    assert.ok(claimed);
    assert.equal(await write((tx) => tx.bodies.claimDeletion(narrow, 100)), null);
    assert.equal(await deletionOf(check, 99), null);

    await write((tx) => tx.pings.prune(check.id, 2, 10));
    await write((tx) => tx.bodies.finishDeletion(claimed));
    await write((tx) => tx.bodies.postponeDeletion(claimed, 5));

    assert.equal(await deletionOf(check, 99), null);
    const wide = await deletionOf(check, 100);
    assert.equal(wide?.upTo, 2);
    await finished(wide);
    await write((tx) => tx.checks.delete(check));
    await finished(await deletionOf(check));
  });
}

async function claimedIn(tx: Writes, move: BodyMove): Promise<BodyMove> {
  return (await tx.bodies.claimMove(move, 100)) ?? move;
}
