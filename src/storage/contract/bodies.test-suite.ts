import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenCheck, givenProject, pingRecord } from '../../../test/records.ts';
import type { Check } from '../../domain/check.ts';
import type { BodyMove, ObjectDeletion, Store, Writes } from '../store.ts';

/** Later than any claim of these tests. */
const END_OF_TIME = 1_000_000;

export function bodies(store: () => Store): void {
  const write = <T>(work: (tx: Writes) => Promise<T>): Promise<T> => store().transaction(work);

  /** A check with so many pings, whose bodies are all to move from instant 1 on. */
  const queued = async (count = 1): Promise<{ check: Check; moves: BodyMove[] }> => {
    const check = await givenCheck(store());
    const pings = Array.from({ length: count }, (_, index) =>
      pingRecord(check.id, { n: index + 1, body: new Uint8Array(101) }),
    );
    await write(async (tx) => {
      await tx.pings.insertMany(pings);
      await tx.bodies.queueMoves(pings, 1);
    });
    return { check, moves: await movesOf(check) };
  };
  // The database is shared with other tests, whose bodies are none of ours.
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

    await write(async (tx) => tx.bodies.finishMove(await claimedIn(tx, move), 101));

    assert.equal(await store().pings.body(check.id, 1), null);
    assert.equal(await store().pings.objectSize(check.id, 1), 101);
    assert.equal((await store().pings.body(check.id, 2))?.length, 101);
    assert.equal(await store().pings.objectSize(check.id, 2), null);
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

    await write((tx) => tx.bodies.finishMove(move, 101));

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
    await write(async (tx) => tx.bodies.finishMove(await claimedIn(tx, three), 101));

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

  test('of a deleted check go as a whole, through its own project alone', async () => {
    const { check, moves } = await queued(2);
    const { project: other } = await givenProject(store());
    const [move] = moves;
    assert.ok(move);
    await write(async (tx) => tx.bodies.finishMove(await claimedIn(tx, move), 101));

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
    for (const move of moves) await write(async (tx) => tx.bodies.finishMove(await claimedIn(tx, move), 101));
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
