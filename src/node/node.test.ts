import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { testDatabase, testParts } from '../../test/node-parts.ts';
import { systemActor } from '../services/core/actor.ts';
import type { Store } from '../storage/store.ts';
import { buildNode } from './node.ts';

for (const { poolSize, most } of [
  { poolSize: 10, most: 5 },
  { poolSize: 3, most: 1 },
  { poolSize: 1, most: 1 },
]) {
  test(`of ${poolSize} connections to PostgreSQL, commands that wait for a lock hold ${most}`, async () => {
    await using opened = await openTestDatabase('sqlite');
    const lock = Promise.withResolvers<void>();
    let begun = 0;
    const transaction: Store['transaction'] = async (work) => {
      begun++;
      await lock.promise;
      return opened.store.transaction(work);
    };
    const store: Store = Object.create(opened.store, { transaction: { value: transaction } });
    const database = { ...testDatabase(store, 'postgres'), poolSize };
    await using node = await buildNode(testParts(database, new FakeClock(0)));

    const commands = Array.from({ length: 2 * poolSize }, (_, id) =>
      node.checkWriter.perform({ verb: 'pause', actor: systemActor(1), id }),
    );
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    const held = begun;
    lock.resolve();
    await Promise.allSettled(commands);

    assert.equal(held, most);
    assert.equal(begun, commands.length);
  });
}
