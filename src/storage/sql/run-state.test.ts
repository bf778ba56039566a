import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forEachEngine, openTestDatabase, type TestStore } from '../../../test/engines.ts';
import { givenCheck } from '../../../test/records.ts';
import type { CheckState } from '../../domain/check/check.ts';
import type { Driver, Writer } from '../driver.ts';
import { createSqlStore } from './store.ts';

/** The database, with a list of the statements that change it. */
function watched(driver: Driver): { readonly driver: Driver; readonly sent: string[] } {
  const sent: string[] = [];
  const noting = (tx: Writer): Writer => ({
    ...tx,
    send: (sql, sets) => {
      sent.push(sql);
      return tx.send(sql, sets);
    },
  });
  return {
    sent,
    driver: {
      dialect: driver.dialect,
      all: (sql, params) => driver.all(sql, params),
      probe: () => driver.probe(),
      transaction: (work) => driver.transaction((tx) => work(noting(tx))),
      [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
    },
  };
}

/** No ping changes these without the status. */
type NeverByPings = 'timedAt' | 'quietFromAt' | 'quietUntilAt';

/** Another value for each other field than a new check has. */
const OTHER_STATE = {
  status: 'down',
  pingCount: 7,
  lastReceivedAt: 9,
  lastPingAt: 8,
  lastSuccessAt: 7,
  lastResult: 'fail',
  lastStartAt: 6,
  lastStartRid: '6b1cba0e-6b70-4a5d-9c4e-2f4c0f7e2a11',
  lastAliveAt: 6,
  lastFlags: 3,
  badCount: 2,
  runReported: true,
  lastDuration: 5,
  lastFlipAt: 4,
  excusedUntilAt: 20,
  hasConfirmationLink: true,
  deadlineAt: 30,
} as const satisfies Omit<CheckState, NeverByPings>;

forEachEngine((engine) => {
  let opened: TestStore;
  before(async () => {
    opened = await openTestDatabase(engine);
  });
  after(() => opened[Symbol.asyncDispose]());

  /** The statements by which a ping that changes these fields is saved, and the check after it. */
  async function saved(change: Partial<CheckState>) {
    const { uuid } = await givenCheck(opened.store);
    const { driver, sent } = watched(opened.driver);
    await createSqlStore(driver).transaction(async (tx) => {
      const [before] = await tx.checks.lockMany([uuid]);
      assert.ok(before !== undefined);
      await tx.checks.saveChanges([{ before, after: { ...before, ...change } }]);
    });
    return { sent, check: await opened.store.checks.byUuid(uuid) };
  }

  test('a ping writes nothing but what it changes', async () => {
    const { sent, check } = await saved({ pingCount: 1, lastPingAt: 5 });

    assert.deepEqual([sent.length, check?.pingCount, check?.lastPingAt], [1, 1, 5]);
    assert.doesNotMatch(sent.join(), /last_start_at|last_alive_at|last_flags|excused_until_at/);
  });

  test('checks of one batch are saved whatever changes of each', async () => {
    const checks = [await givenCheck(opened.store), await givenCheck(opened.store)];
    const uuids = checks.map(({ uuid }) => uuid);
    await opened.store.transaction(async (tx) => {
      const [one, two] = await tx.checks.lockMany(uuids);
      assert.ok(one !== undefined && two !== undefined);
      await tx.checks.saveChanges([
        { before: one, after: { ...one, lastStartAt: 5 } },
        { before: two, after: { ...two, lastDuration: 7 } },
      ]);
    });

    const stored = await Promise.all(uuids.map((uuid) => opened.store.checks.byUuid(uuid)));
    assert.deepEqual(
      stored.map((check) => [check?.lastStartAt, check?.lastDuration]),
      [
        [5, null],
        [null, 7],
      ],
    );
  });

  test('a field is saved whether it changes alone or with others', async () => {
    for (const [field, value] of Object.entries(OTHER_STATE)) {
      const { check } = await saved({ [field]: value });
      assert.equal(check?.[field as keyof CheckState], value, field);
    }
    const { check } = await saved(OTHER_STATE);
    assert.partialDeepStrictEqual(check, OTHER_STATE);
  });

  test('progress and remarks are written with the rest, by one statement', async () => {
    const { sent, check } = await saved({ pingCount: 1, lastAliveAt: 5, lastFlags: 3 });

    assert.equal(sent.length, 1);
    assert.deepEqual([check?.pingCount, check?.lastAliveAt, check?.lastFlags], [1, 5, 3]);
  });
});
