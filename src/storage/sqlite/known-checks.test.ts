import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase, openTestDriver, type TestStore } from '../../../test/engines.ts';
import { addCheck, checkRecord, givenCheck, givenProject } from '../../../test/records.ts';
import type { Check } from '../../domain/check/check.ts';
import type { Writer } from '../driver.ts';
import { createSqlStore } from '../sql/store.ts';
import type { HeldCheck, Store, Writes } from '../store.ts';

/** A batch of pings on a check: locks it, counts one more, saves it. */
async function count(store: Store, uuid: string): Promise<HeldCheck | undefined> {
  return store.transaction(async (tx) => {
    const [before] = await tx.checks.lockMany([uuid]);
    if (before === undefined) return undefined;
    await tx.checks.saveChanges([{ before, after: { ...before, pingCount: before.pingCount + 1 } }]);
    return before;
  });
}

/** The database, with a list of the statements that transactions run. */
function watched({ driver }: TestStore): { store: Store; statements: string[] } {
  const statements: string[] = [];
  const noting = (tx: Writer): Writer => ({
    ...tx,
    repeat: (sql, sets) => {
      statements.push(sql);
      return tx.repeat(sql, sets);
    },
  });
  const store = createSqlStore({
    dialect: driver.dialect,
    all: (sql, params) => driver.all(sql, params),
    transaction: (work) => driver.transaction((tx) => work(noting(tx))),
    probe: () => driver.probe(),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  });
  return { store, statements };
}

test('a check that the last batch left is not read again', async () => {
  await using opened = await openTestDatabase('sqlite');
  const { uuid } = await givenCheck(opened.store);
  const { store, statements } = watched(opened);

  const seen = [];
  for (let n = 0; n < 3; n++) seen.push((await count(store, uuid))?.pingCount);

  assert.deepEqual(seen, [0, 1, 2]);
  assert.equal(statements.filter((sql) => sql.startsWith('select')).length, 1);
  assert.equal((await store.checks.byUuid(uuid))?.pingCount, 3);
});

test('of several checks only those are read that are not known', async () => {
  await using opened = await openTestDatabase('sqlite');
  const { project } = await givenProject(opened.store);
  const [one, two] = [await addCheck(opened.store, project), await addCheck(opened.store, project)];
  await count(opened.store, one.uuid);

  const held = await opened.store.transaction((tx) => tx.checks.lockMany([two.uuid, one.uuid]));

  assert.deepEqual(
    new Map(held.map(({ uuid, pingCount }) => [uuid, pingCount])),
    new Map([
      [two.uuid, 0],
      [one.uuid, 1],
    ]),
  );
});

test('what anybody else has written is seen by the next batch', async (t) => {
  await using opened = await openTestDatabase('sqlite');
  await using otherDriver = await openTestDriver(opened.database);
  const writers = { 'the same connection': opened.store, 'another connection': createSqlStore(otherDriver) };
  for (const [name, writer] of Object.entries(writers)) {
    await t.test(name, async () => {
      const check = await givenCheck(opened.store);
      await count(opened.store, check.uuid);

      await writer.transaction((tx) => tx.checks.saveConfig({ ...check, graceSeconds: 777 }));
      const edited = await count(opened.store, check.uuid);
      await writer.transaction((tx) => tx.checks.delete(check));
      const deleted = await count(opened.store, check.uuid);

      assert.deepEqual([edited?.graceSeconds, edited?.pingCount], [777, 1]);
      assert.equal(deleted, undefined);
    });
  }
});

test('a quiet time that was stopped is over for the next batch, whoever stopped it', async () => {
  await using opened = await openTestDatabase('sqlite');
  await using otherDriver = await openTestDriver(opened.database);
  for (const writer of [opened.store, createSqlStore(otherDriver)]) {
    const check = await givenCheck(opened.store);
    const untilAt = (quietUntilAt: number) =>
      writer.transaction((tx) => tx.checks.saveStates([{ ...check, quietFromAt: 1, quietUntilAt }]));
    await untilAt(9);
    await count(opened.store, check.uuid);
    await untilAt(5);

    const held = await count(opened.store, check.uuid);

    assert.equal(held?.quietUntilAt, 5);
  }
});

test('what was rolled back is not remembered, whoever commits next', async () => {
  await using opened = await openTestDatabase('sqlite');
  const { uuid } = await givenCheck(opened.store);
  await count(opened.store, uuid);

  await assert.rejects(
    opened.store.transaction(async (tx) => {
      const [before] = await tx.checks.lockMany([uuid]);
      assert.ok(before);
      await tx.checks.saveChanges([{ before, after: { ...before, pingCount: 99 } }]);
      throw new Error('the disk is full');
    }),
    /the disk is full/,
  );
  await opened.driver.transaction((tx) => tx.all('select 1'));

  assert.equal((await count(opened.store, uuid))?.pingCount, 1);
});

test('what one of several transactions has rolled back is not remembered by the others', async () => {
  await using opened = await openTestDatabase('sqlite');
  const { uuid } = await givenCheck(opened.store);
  const fail = () =>
    opened.store.transaction(async (tx) => {
      const [before] = await tx.checks.lockMany([uuid]);
      assert.ok(before);
      await tx.checks.saveChanges([{ before, after: { ...before, pingCount: 99 } }]);
      throw new Error('refused');
    });

  const settled = await Promise.allSettled([
    count(opened.store, uuid),
    fail(),
    count(opened.store, uuid),
    count(opened.store, uuid),
    fail(),
  ]);

  assert.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value?.pingCount : one.reason.message)),
    [0, 'refused', 1, 2, 'refused'],
  );
  assert.equal((await count(opened.store, uuid))?.pingCount, 3);
});

const otherWrites: Record<string, (tx: Writes, check: Check) => Promise<unknown>> = {
  'an edit': (tx, check) => tx.checks.saveConfig({ ...check, graceSeconds: 777 }),
  'a state': (tx, check) => tx.checks.saveState({ ...check, pingCount: 777 }),
  'an excuse': (tx) => tx.checks.excuseOverdue(0, 2_000, 777),
  'an alarm that is put off': (tx) => tx.checks.putOffAlarms(1_500, 10),
  'a deletion': (tx, check) => tx.checks.delete(check),
};

for (const [name, write] of Object.entries(otherWrites)) {
  for (const place of ['before checks are held', 'while they are held', 'after they are saved']) {
    test(`${name} that the same transaction writes ${place} is seen from then on`, async () => {
      await using opened = await openTestDatabase('sqlite');
      const check = await givenCheck(opened.store, { status: 'up', deadlineAt: 1_000 });
      await count(opened.store, check.uuid);
      const hold = (tx: Writes) => tx.checks.lockMany([check.uuid]);

      const seen = await opened.store.transaction(async (tx) => {
        if (place === 'before checks are held') await write(tx, check);
        const [before] = await hold(tx);
        if (place === 'while they are held') await write(tx, check);
        if (place === 'after they are saved') {
          assert.ok(before);
          await tx.checks.saveChanges([{ before, after: { ...before, deadlineAt: 2_000 } }]);
          await write(tx, check);
        }
        return hold(tx);
      });
      const known = await opened.store.transaction(hold);

      const stored = await createSqlStore(opened.driver).transaction(hold);
      assert.deepEqual([seen, known], [stored, stored]);
    });
  }
}

test('the alarm is known as it was saved, whether the change was a loud one or not', async () => {
  await using opened = await openTestDatabase('sqlite');
  const { uuid } = await givenCheck(opened.store, { status: 'up', deadlineAt: 1_000 });
  const save = (deadlineAt: number) =>
    opened.store.transaction(async (tx) => {
      const [before] = await tx.checks.lockMany([uuid]);
      assert.ok(before);
      await tx.checks.saveChanges([{ before, after: { ...before, deadlineAt } }]);
      return before.alarmAt;
    });

  const alarms = [await save(2_000), await save(500), await save(3_000)];

  assert.deepEqual(alarms, [1_000, 1_000, 500]);
});

test('more checks than are remembered are all counted', async () => {
  await using opened = await openTestDatabase('sqlite');
  const { project } = await givenProject(opened.store);
  const uuids = await opened.store.transaction(async (tx) => {
    const made: string[] = [];
    for (let n = 0; n < 6_000; n++) made.push((await tx.checks.insert(checkRecord(project.id))).uuid);
    return made;
  });

  for (let round = 0; round < 2; round++) {
    await opened.store.transaction(async (tx) => {
      const held = await tx.checks.lockMany(uuids);
      await tx.checks.saveChanges(
        held.map((before) => ({ before, after: { ...before, pingCount: before.pingCount + 1 } })),
      );
    });
  }

  assert.equal(await opened.store.checks.pingTotal(), 12_000);
});
