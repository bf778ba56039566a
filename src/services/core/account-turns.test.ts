import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { AccountTurns, leasedLess } from './account-turns.ts';

const NOW = 1_000;

/** An outbox in which each account has a row that is due at its time. */
function outboxOf(dueAt: Readonly<Record<number, number>>) {
  return {
    waitingAccounts: async ({ above, upTo, limit }: { above: number; upTo: number; limit: number }) =>
      Object.entries(dueAt)
        .map(([id, dueAt]) => ({ id: Number(id), dueAt }))
        .filter(({ id }) => id > above && id <= upTo)
        .slice(0, limit),
  };
}

const rowsOf = (...accounts: number[]) => accounts.map((accountId) => ({ accountId }));

suite('turns of accounts', () => {
  test('are shared out one by one, and go on after the last one', async () => {
    const accounts = new AccountTurns(100);
    const outbox = outboxOf({ 1: 0, 2: 0, 3: 0, 4: 0 });

    const first = await accounts.plan(outbox, NOW, 3);
    accounts.begin(first, rowsOf(1, 2, 3));
    const second = await accounts.plan(outbox, NOW, 3);

    assert.deepEqual(
      [first, second].map(({ turns }) => turns.map(({ accountId }) => accountId)),
      [
        [1, 2, 3],
        [4, 1, 2],
      ],
    );
  });

  test('are for accounts with due rows alone', async () => {
    const accounts = new AccountTurns(100);

    const { turns, due } = await accounts.plan(outboxOf({ 1: NOW + 1, 2: NOW }), NOW, 10);

    assert.deepEqual(due, [2]);
    assert.deepEqual(turns, [{ accountId: 2, limit: 10 }]);
  });

  test('change nothing until rows are leased, because a transaction may be repeated', async () => {
    const accounts = new AccountTurns(100);
    const outbox = outboxOf({ 1: 0, 2: 0 });

    const plans = [await accounts.plan(outbox, NOW, 1), await accounts.plan(outbox, NOW, 1)];

    assert.deepEqual(plans[0], plans[1]);
    assert.equal(accounts.taken, 0);
  });

  test('come back to an account that has its share when one of its rows has ended', async () => {
    const accounts = new AccountTurns(4);
    const outbox = outboxOf({ 1: 0 });
    const plan = await accounts.plan(outbox, NOW, 10);
    assert.deepEqual(plan.turns, [{ accountId: 1, limit: 2 }]);
    accounts.begin(plan, rowsOf(1, 1));
    assert.deepEqual(accounts.crowdedAccounts(), [1]);
    assert.deepEqual((await accounts.plan(outbox, NOW, 10)).turns, []);

    accounts.end({ accountId: 1 });

    assert.deepEqual((await accounts.plan(outbox, NOW, 10)).turns, [{ accountId: 1, limit: 1 }]);
    assert.deepEqual(accounts.crowdedAccounts(), [1], 'its rows still wait for each other');
    accounts.end({ accountId: 1 });
    assert.deepEqual(accounts.crowdedAccounts(), []);
  });

  test('are no crowd where an account had fewer rows than it might lease', async () => {
    const accounts = new AccountTurns(4);
    const plan = await accounts.plan(outboxOf({ 1: 0 }), NOW, 10);

    accounts.begin(plan, rowsOf(1));

    assert.deepEqual(accounts.crowdedAccounts(), []);
    assert.deepEqual(leasedLess(plan.turns, rowsOf(1)), [1]);
    assert.deepEqual(leasedLess(plan.turns, rowsOf(1, 1)), []);
  });

  test('an account that waits for the rows of others is not crowded: that is late', async () => {
    const accounts = new AccountTurns(1);
    accounts.begin(await accounts.plan(outboxOf({ 1: 0 }), NOW, 10), rowsOf(1));

    const plan = await accounts.plan(outboxOf({ 2: 0 }), NOW, 10);
    accounts.begin(plan, []);

    assert.deepEqual(plan.turns, []);
    assert.deepEqual(accounts.crowdedAccounts(), [1]);
  });

  test('look at some hundred accounts at a time, and at the others next', async () => {
    const accounts = new AccountTurns(1_000);
    const ids = Array.from({ length: 450 }, (_, index) => index + 1);
    // Only the last one is due.
    const outbox = outboxOf(Object.fromEntries(ids.map((id) => [id, id === 450 ? NOW : NOW + 1])));

    const found: number[] = [];
    for (let plans = 0; plans < 3; plans++) {
      const plan = await accounts.plan(outbox, NOW, 10);
      accounts.begin(plan, []);
      assert.equal(plan.isComplete, false);
      found.push(plan.turns.length);
    }

    assert.deepEqual(found, [0, 0, 1]);
  });

  test('rows without an account share the turn of one', async () => {
    const accounts = new AccountTurns(4);
    const plan = await accounts.plan(outboxOf({ 0: 0 }), NOW, 10);

    accounts.begin(plan, [{ accountId: null }, { accountId: null }]);

    assert.deepEqual(accounts.crowdedAccounts(), [0]);
    accounts.end({ accountId: null });
    assert.equal(accounts.taken, 1);
  });
});
