import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addCheck,
  deliveryRecord,
  flipRecord,
  givenCheck,
  givenProject,
  mailRecord,
} from '../../../test/records.ts';
import { seconds } from '../../lib/instant.ts';
import type { Store, Writes } from '../store.ts';
import { furnishedProject, LARGEST, MICROSECOND } from './records.test-support.ts';

/** Facts of the whole installation: the nodes that watch, and their lateness. */
export function watch(store: () => Store): void {
  const write = <T>(work: (tx: Writes) => Promise<T>) => store().transaction(work);

  test('knows when any node was last watching, and forgets nodes of long ago and of the future', async () => {
    await write((tx) => tx.liveness.beat('a', MICROSECOND, 0));
    await write((tx) => tx.liveness.beat('b', MICROSECOND + 5, 0));
    await write((tx) => tx.liveness.beat('a', MICROSECOND + 2, 0));
    assert.equal(await store().liveness.lastBeatAt(), MICROSECOND + 5);

    assert.equal(await write((tx) => tx.liveness.forgetAfter(MICROSECOND + 5)), 0);
    assert.equal(await write((tx) => tx.liveness.forgetAfter(MICROSECOND + 4)), 1);
    assert.equal(await store().liveness.lastBeatAt(), MICROSECOND + 2);

    await write((tx) => tx.liveness.beat('c', MICROSECOND + 9, MICROSECOND + 3));
    assert.equal(await write((tx) => tx.liveness.forgetAfter(0)), 1);
    assert.equal(await store().liveness.lastBeatAt(), null);
  });

  test('lets one node at a time find out whether anybody was watching', async () => {
    await write((tx) => tx.liveness.beat('dead', MICROSECOND, 0));
    const seen: (number | null)[] = [];
    const node = (name: string) =>
      write(async (tx) => {
        await tx.liveness.lock();
        seen.push(await tx.liveness.lastBeatAt());
        await tx.liveness.beat(name, MICROSECOND + 1, 0);
      });

    await Promise.all(['a', 'b', 'c'].map(node));

    assert.deepEqual(seen, [MICROSECOND, MICROSECOND + 1, MICROSECOND + 1]);
  });

  test('forgets old times of blindness that everybody was told of, and still knows how many there were', async () => {
    // Before those of all other tests, which may not have told anybody.
    for (const until of [-3, -2, -1]) await write((tx) => tx.liveness.addBlindSpan({ from: -4, until }));
    const tellAll = async () => {
      for (
        let span = await store().liveness.untoldSpan();
        span !== null;
        span = await store().liveness.untoldSpan()
      ) {
        const { id, toldUpTo } = span;
        await write((tx) => tx.liveness.moveTold(id, toldUpTo, null));
      }
    };
    const count = await store().liveness.blindSpanCount();
    const prune = (before: number) => write((tx) => tx.liveness.pruneBlindSpans(before, 1));

    assert.equal(await prune(0), 0);
    await tellAll();
    assert.deepEqual([await prune(-2), await prune(-2)], [1, 0]);
    assert.deepEqual([await prune(-1), await prune(-1)], [1, 0]);

    const left = await store().liveness.blindSpansSince(-5);
    assert.deepEqual(
      left.filter(({ until }) => until < 0),
      [{ from: -4, until: -1 }],
    );
    assert.equal(await store().liveness.blindSpanCount(), count);
  });

  test('knows the times of blindness, and how many there were', async () => {
    const before = await store().liveness.blindSpanCount();

    await write((tx) => tx.liveness.addBlindSpan({ from: 1, until: 2 }));
    await write((tx) => tx.liveness.addBlindSpan({ from: 5, until: 9 }));

    assert.equal(await store().liveness.blindSpanCount(), before + 2);
    const [newest] = await store().liveness.blindSpansSince(2);
    assert.deepEqual({ ...newest }, { from: 5, until: 9 });
  });

  test('has a time of its own, which goes on, or none', async () => {
    const [first, second] = [await store().time(), await store().time()];

    if (first === null) assert.equal(second, null);
    else assert.ok(Number.isSafeInteger(first) && second !== null && second >= first);
  });

  test('goes through all checks page by page', async () => {
    const { project } = await givenProject(store());
    const own = [
      await addCheck(store(), project),
      await addCheck(store(), project),
      await givenCheck(store()),
    ];
    const before = (own[0]?.id ?? 0) - 1;

    const first = await store().checks.pageOfAll(before, 2);
    const second = await store().checks.pageOfAll(first.at(-1)?.id ?? 0, 2);

    assert.deepEqual(
      [...first, ...second].map(({ id, uuid, status }) => [id, uuid, status]),
      own.map(({ id, uuid, status }) => [id, uuid, status]),
    );
  });

  test('knows the deadline that has been overdue for longest', async () => {
    const { project } = await givenProject(store());
    for (const deadlineAt of [3, 2, null, 40]) await addCheck(store(), project, { deadlineAt });

    assert.equal(await store().checks.oldestOverdueAt(1), null);
    assert.equal(await store().checks.oldestOverdueAt(30), 2);
  });

  test('knows the oldest message that could be sent, not those that wait for another, a busy channel or their account', async () => {
    const { check, channel, project } = await furnishedProject(store());
    const other = await addCheck(store(), project);
    const oldest = (now: number, channels: readonly number[] = [], accounts: readonly number[] = []) =>
      store().deliveries.oldestDueAt(now, { channels, accounts });
    const open = await store().deliveries.openCount();
    await write(async (tx) => {
      const flips = await tx.flips.insertMany([check, check, other].map(({ id }) => flipRecord(id)));
      const times = [30, 10, 20];
      await tx.deliveries.insertMany(
        flips.map((flip, index) =>
          deliveryRecord(flip, channel.id, { nextAttemptAt: seconds(times[index] ?? 0) }),
        ),
      );
    });

    assert.equal(await oldest(seconds(19)), null);
    assert.equal(await oldest(seconds(40)), seconds(20));
    assert.equal(await oldest(seconds(40), [channel.id]), null);
    assert.equal(await oldest(seconds(40), [], [0]), null);
    assert.equal(await store().deliveries.openCount(), open + 3);
    await write((tx) => tx.deliveries.bringForward(seconds(15)));
    assert.equal(await oldest(seconds(40)), seconds(15));
  });

  test('brings mails forward, and counts those that are open', async () => {
    const { account } = await givenProject(store());
    const open = await store().mails.openCount();
    const mail = mailRecord(account.id, { nextAttemptAt: LARGEST });
    await write((tx) => tx.mails.insertMany([mail]));

    await write((tx) => tx.mails.bringForward(1));

    assert.equal(await store().mails.openCount(), open + 1);
    assert.equal(await store().mails.nextAttemptAt(), 1);
    const [claimed] = await write((tx) =>
      tx.mails.lease({ now: 1, until: 2, turns: [{ accountId: account.id, limit: 1 }] }),
    );
    await write((tx) =>
      tx.mails.settle(claimed ? [{ ...claimed, state: 'delivered', nextAttemptAt: null }] : []),
    );
    assert.equal(await store().mails.openCount(), open);
  });

  test('counts the bodies that wait to be moved', async () => {
    const check = await givenCheck(store());
    const before = await store().bodies.moveCount();

    await write((tx) =>
      tx.bodies.queueMoves(
        [1, 2].map((n) => ({ checkId: check.id, n })),
        MICROSECOND,
      ),
    );

    assert.equal(await store().bodies.moveCount(), before + 2);
  });
}
