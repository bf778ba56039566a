import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestStore } from '../../../test/engines.ts';
import { addChannel, addCheck, givenProject, projectRecord } from '../../../test/records.ts';
import { isConflict } from '../driver.ts';
import type { Store } from '../store.ts';

const TABLES = { project: 'projects', channel: 'channels', check: 'checks' } as const;

type DeclaredKind = keyof typeof TABLES;

/** Two entries of a kind, of one owner. */
async function twins(store: Store, kind: DeclaredKind): Promise<{ ownerId: number; ids: [number, number] }> {
  const { account, project } = await givenProject(store);
  if (kind === 'project') {
    const second = await store.transaction((tx) => tx.projects.insert(projectRecord(account.id)));
    return { ownerId: account.id, ids: [project.id, second.id] };
  }
  const add = kind === 'check' ? addCheck : addChannel;
  return { ownerId: project.id, ids: [(await add(store, project)).id, (await add(store, project)).id] };
}

export function declarations(opened: () => TestStore): void {
  const declare = (kind: DeclaredKind, ownerId: number, name: string, id: number) =>
    opened().store.transaction((tx) =>
      tx.declarations.declare(kind, ownerId, id, { name, source: 'infra', isMade: true }),
    );
  const idsOf = async (kind: DeclaredKind, ownerId: number) =>
    (await opened().store.transaction((tx) => tx.declarations.entriesOf(kind, ownerId))).map(
      ({ name, id }) => [name, id],
    );

  for (const kind of ['project', 'channel', 'check'] as const) {
    test(`a ${kind} is what a file calls it, until another one is`, async () => {
      const { ownerId, ids } = await twins(opened().store, kind);
      const others = await twins(opened().store, kind);

      assert.deepEqual(await idsOf(kind, ownerId), []);
      await declare(kind, ownerId, 'a', ids[0]);
      await declare(kind, others.ownerId, 'a', others.ids[0]);
      assert.deepEqual(await idsOf(kind, ownerId), [['a', ids[0]]]);
      await declare(kind, ownerId, 'a', ids[1]);
      assert.deepEqual(await idsOf(kind, ownerId), [['a', ids[1]]]);
      await declare(kind, ownerId, 'b', ids[1]);
      assert.deepEqual(await idsOf(kind, ownerId), [['b', ids[1]]]);
      assert.deepEqual(await idsOf(kind, others.ownerId), [['a', others.ids[0]]]);
    });

    test(`a ${kind} of somebody else is not declared`, async () => {
      const { ownerId } = await twins(opened().store, kind);
      const others = await twins(opened().store, kind);

      await declare(kind, ownerId, 'a', others.ids[0]);

      assert.deepEqual([await idsOf(kind, ownerId), await idsOf(kind, others.ownerId)], [[], []]);
    });

    test(`that two of one owner are the same ${kind} of a file is forbidden by the database`, async () => {
      const { ownerId, ids } = await twins(opened().store, kind);
      await declare(kind, ownerId, 'a', ids[0]);

      await assert.rejects(
        opened().driver.transaction((tx) =>
          tx.run(`update ${TABLES[kind]} set declared_as = 'a' where id = $1`, [ids[1]]),
        ),
        isConflict,
      );
    });
  }

  test('checks that a source has made take their names from others', async () => {
    const { ownerId, ids } = await twins(opened().store, 'check');
    const [first, second] = ids;
    await declare('check', ownerId, 'a', first);
    const others = await twins(opened().store, 'check');

    await opened().store.transaction((tx) =>
      tx.declarations.declareNewChecks(ownerId, 'infra', [
        { id: second, name: 'a' },
        { id: others.ids[0], name: 'b' },
      ]),
    );

    assert.deepEqual(await idsOf('check', ownerId), [['a', second]]);
    assert.deepEqual(await idsOf('check', others.ownerId), []);
  });

  test('transactions that take the lock do so one after the other', async () => {
    let inside = 0;
    let most = 0;
    const work = () =>
      opened().store.transaction(async (tx) => {
        await tx.declarations.lock();
        // On an engine whose transaction is the lock, its first statement waits.
        await tx.instance.get('nothing');
        most = Math.max(most, ++inside);
        await tx.instance.get('nothing');
        inside--;
      });

    await Promise.all(Array.from({ length: 6 }, work));

    assert.equal(most, 1);
  });
}
