import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountRecord,
  checkRecord,
  givenCheck,
  givenProject,
  pingRecord,
  projectRecord,
  unique,
} from '../../../test/records.ts';
import { isConflict, StorageError } from '../driver.ts';
import type { Store, Writes } from '../store.ts';
import { AWKWARD_TEXTS, LARGEST } from './records.test-support.ts';

export function transactions(store: () => Store): void {
  test('leave nothing behind when the work throws', async () => {
    const account = accountRecord();
    const key = unique();

    const attempt = store().transaction(async (tx) => {
      const { id } = await tx.accounts.insert(account);
      await tx.projects.insert(projectRecord(id));
      await tx.instance.setOnce(key, 'value');
      throw new Error('changed my mind');
    });

    await assert.rejects(attempt, /^Error: changed my mind$/);
    assert.equal(await store().accounts.byEmail(account.email), null);
    assert.equal(await store().instance.get(key), null);
  });

  test('leave nothing behind when a late statement fails', async () => {
    const account = accountRecord();

    const attempt = store().transaction(async (tx) => {
      await tx.accounts.insert(account);
      await tx.checks.insert(checkRecord(LARGEST));
    });

    await assert.rejects(attempt, (error) => error instanceof StorageError && error.kind === 'fault');
    assert.equal(await store().accounts.byEmail(account.email), null);
  });

  test('do not commit when the work swallows the failure of a statement', async () => {
    const { account } = await givenProject(store());
    const other = accountRecord();

    const attempt = store().transaction(async (tx) => {
      await tx.accounts.insert(other);
      await tx.accounts.insert(accountRecord({ email: account.email })).catch(() => undefined);
    });

    await assert.rejects(attempt, isConflict);
    assert.equal(await store().accounts.byEmail(other.email), null);
  });

  test('leave nothing behind when a statement fails of which nobody awaits an answer', async () => {
    const check = await givenCheck(store());
    const other = accountRecord();
    const ping = pingRecord(check.id, { n: 1 });
    await store().transaction((tx) => tx.pings.insertMany([ping]));

    for (const pings of [[ping], [ping, pingRecord(check.id, { n: 2 })]]) {
      const attempt = store().transaction(async (tx) => {
        await tx.accounts.insert(other);
        await tx.pings.insertMany(pings);
        await tx.checks.saveState({ ...check, pingCount: 7 });
      });
      await assert.rejects(attempt, isConflict);
      assert.equal(await store().accounts.byEmail(other.email), null);
      assert.equal((await store().checks.byId(check.id))?.pingCount, 0);
    }
    assert.equal((await store().pings.latest(check.id, 10)).length, 1);
  });

  test('are told of the first failure when another statement follows it', async () => {
    const check = await givenCheck(store());
    const ping = pingRecord(check.id, { n: 1 });

    const attempt = store().transaction(async (tx) => {
      await tx.pings.insertMany([ping]);
      await tx.pings.insertMany([ping]);
      await tx.checks.byId(check.id);
    });

    await assert.rejects(attempt, isConflict);
  });

  test('read what they wrote a moment ago', async () => {
    const check = await givenCheck(store());

    const seen = await store().transaction(async (tx) => {
      await tx.pings.insertMany([pingRecord(check.id, { n: 1 }), pingRecord(check.id, { n: 2 })]);
      return (await tx.pings.latest(check.id, 10)).map(({ n }) => n);
    });

    assert.deepEqual(seen, [2, 1]);
  });

  test('refuse a statement that comes after their end', async () => {
    const { project } = await givenProject(store());
    const record = checkRecord(project.id);
    const leak: { tx?: Writes } = {};
    await store().transaction(async (tx) => {
      leak.tx = tx;
    });

    await assert.rejects(async () => leak.tx?.checks.insert(record), /is over/);

    assert.equal(await store().checks.byUuid(record.uuid), null);
  });

  test('wait for a statement that the work did not wait for', async () => {
    const { project } = await givenProject(store());
    const record = checkRecord(project.id);

    await store().transaction(async (tx) => {
      tx.checks.insert(record);
    });

    assert.equal((await store().checks.byUuid(record.uuid))?.uuid, record.uuid);
  });

  test('are followed by others that work after one has failed', async () => {
    await assert.rejects(store().transaction(() => Promise.reject(new Error('no'))));

    assert.equal(await store().transaction(async () => 'fine'), 'fine');
  });

  test('hide their rows from readers until they commit, and see them themselves', async () => {
    const { project } = await givenProject(store());
    const record = checkRecord(project.id);

    const seen = await store().transaction(async (tx) => {
      await tx.checks.insert(record);
      return {
        outside: await store().checks.byUuid(record.uuid),
        inside: (await tx.checks.byUuid(record.uuid))?.uuid,
      };
    });

    assert.deepEqual(seen, { outside: null, inside: record.uuid });
    assert.equal((await store().checks.byUuid(record.uuid))?.uuid, record.uuid);
  });

  test('return what the work returns, in the order in which they were started', async () => {
    const results = await Promise.all([1, 2, 3].map((n) => store().transaction(async () => n)));

    assert.deepEqual(results, [1, 2, 3]);
  });

  test('that begin at the same time fail alone, whatever the others do', async () => {
    const { account, project } = await givenProject(store());
    const records = Array.from({ length: 7 }, () => checkRecord(project.id));
    const insert = (index: number) => async (tx: Writes) => {
      const record = records[index];
      assert.ok(record);
      return (await tx.checks.insert(record)).uuid;
    };
    const taken = accountRecord({ email: account.email });
    const works: ((tx: Writes) => Promise<string>)[] = [
      insert(0),
      async (tx) => {
        await insert(1)(tx);
        throw new Error('changed my mind');
      },
      insert(2),
      async (tx) => {
        await insert(3)(tx);
        await tx.accounts.insert(taken).catch(() => undefined);
        return 'swallowed';
      },
      async (tx) => {
        const uuid = await insert(4)(tx);
        const ping = pingRecord(LARGEST, { n: 1 });
        await tx.pings.insertMany([ping, ping]);
        return uuid;
      },
      async (tx) => {
        await tx.accounts.insert(taken);
        return insert(5)(tx);
      },
      insert(6),
    ];

    const settled = await Promise.allSettled(works.map((work) => store().transaction(work)));

    const committed = [0, 2, 6].map((index) => records[index]?.uuid);
    const results = settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)));
    assert.deepEqual(
      [0, 2, 6].map((index) => results[index]),
      committed,
    );
    assert.equal(results[1], 'Error: changed my mind');
    for (const index of [3, 5]) assert.match(results[index] ?? '', /^StorageError.*(unique|UNIQUE)/s);
    assert.match(results[4] ?? '', /^StorageError/);
    const stored = (await store().checks.ofProject(project.id)).map(({ uuid }) => uuid);
    assert.deepEqual(new Set(stored), new Set(committed));
  });

  test('are told after the commit: then everybody sees what they have written', async () => {
    const { project } = await givenProject(store());

    const seen = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { uuid } = await store().transaction((tx) => tx.checks.insert(checkRecord(project.id)));
        return (await store().checks.byUuid(uuid)) !== null;
      }),
    );

    assert.ok(seen.every((isThere) => isThere));
  });

  test('do not fail when each statement is sent before the last has answered', async () => {
    const { project } = await givenProject(store());

    await store().transaction((tx) =>
      Promise.all(AWKWARD_TEXTS.map((name) => tx.checks.insert(checkRecord(project.id, { name })))),
    );

    assert.equal((await store().checks.ofProject(project.id)).length, AWKWARD_TEXTS.length);
  });
}
