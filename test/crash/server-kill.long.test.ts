import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmptyPlace, forEachEngine } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { KILL_ROUNDS } from './rounds.ts';
import { seeded } from './seeded.ts';
import { type Service, startService } from './service.ts';

const CLIENTS = 6;
/** Every so-manieth check of a client is deleted again. */
const DELETED_OF = 4;
const SEED = 20_260_103;

forEachEngine((engine) => {
  test('a service that is killed still has every check, every change of one and every ping that it has acknowledged', async () => {
    await using folder = await temporaryFolder();
    await using place = await createEmptyPlace(engine);
    const random = seeded(SEED);
    const acknowledged = new Map<string, Acknowledged>();

    for (let round = 1; round <= KILL_ROUNDS[engine]; round++) {
      const known = acknowledged.size;
      await using service = await startService(folder.path, place.database);
      await requireAll(service, acknowledged, `round ${round} with seed ${SEED}`);
      const clients = Array.from({ length: CLIENTS }, () => useUntilItDies(service, acknowledged));
      // However slow the machine is: something was acknowledged before the kill.
      await until('checks are created', () => acknowledged.size > known);
      await sleep(300 * random());
      service.process.signal('SIGKILL');
      await Promise.all(clients);
    }

    await using service = await startService(folder.path, place.database);
    await requireAll(service, acknowledged, `the end, with seed ${SEED}`);
    await service.createCheck('after all');
  });
});

/** The acknowledged pings and edits of a check; or that it is deleted. */
type Acknowledged = { readonly pings: number; readonly edits: number } | 'deleted' | 'perhaps deleted';

/** Creates checks, pings, renames and deletes them, and notes what was acknowledged. */
async function useUntilItDies(service: Service, acknowledged: Map<string, Acknowledged>): Promise<void> {
  for (let count = 1; ; count++) {
    try {
      const { uuid } = await service.createCheck('0');
      acknowledged.set(uuid, { pings: 0, edits: 0 });
      for (let n = 1; n <= 3; n++) {
        if (await service.ping(uuid)) acknowledged.set(uuid, { pings: n, edits: n - 1 });
        await service.renameCheck(uuid, String(n));
        acknowledged.set(uuid, { pings: n, edits: n });
      }
      if (count % DELETED_OF !== 0) continue;
      acknowledged.set(uuid, 'perhaps deleted');
      await service.deleteCheck(uuid);
      acknowledged.set(uuid, 'deleted');
    } catch (error) {
      // `fetch` says TypeError to a connection that is refused or breaks off, at whatever point.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function requireAll(
  service: Service,
  acknowledged: ReadonlyMap<string, Acknowledged>,
  what: string,
): Promise<void> {
  const found = new Map((await service.checks()).map((check) => [check.uuid, check]));
  const isKept = ([uuid, promised]: [string, Acknowledged]): boolean => {
    const check = found.get(uuid);
    if (promised === 'perhaps deleted') return true;
    if (promised === 'deleted') return check === undefined;
    return check !== undefined && check.n_pings >= promised.pings && Number(check.name) >= promised.edits;
  };
  assert.deepEqual(
    [...acknowledged].filter((one) => !isKept(one)),
    [],
    what,
  );
}
