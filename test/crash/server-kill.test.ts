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
const A_MINUTE_MS = 60_000;
const SEED = 20_260_103;

forEachEngine((engine) => {
  test('a service that is killed still has every check and every ping that it has acknowledged', async () => {
    await using folder = await temporaryFolder();
    await using place = await createEmptyPlace(engine);
    const random = seeded(SEED);
    const acknowledged = new Map<string, number>();

    for (let round = 1; round <= KILL_ROUNDS[engine]; round++) {
      const known = acknowledged.size;
      await using service = await startService(folder.path, place.database);
      await requireAll(service, acknowledged, `round ${round} with seed ${SEED}`);
      const clients = Array.from({ length: CLIENTS }, () => useUntilItDies(service, acknowledged));
      // However slow the machine is: something was acknowledged before the kill.
      await until('checks are created', () => acknowledged.size > known, A_MINUTE_MS);
      await sleep(300 * random());
      service.process.signal('SIGKILL');
      await Promise.all(clients);
    }

    await using service = await startService(folder.path, place.database);
    await requireAll(service, acknowledged, `the end, with seed ${SEED}`);
    await service.createCheck('after all');
  });
});

/** Creates checks and pings each of them, and notes what was acknowledged. */
async function useUntilItDies(service: Service, acknowledged: Map<string, number>): Promise<void> {
  for (;;) {
    try {
      const { uuid } = await service.createCheck('check');
      acknowledged.set(uuid, 0);
      for (let n = 1; n <= 3; n++) if (await service.ping(uuid)) acknowledged.set(uuid, n);
    } catch (error) {
      // `fetch` says TypeError to a connection that is refused or breaks off, at whatever point.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function requireAll(
  service: Service,
  acknowledged: ReadonlyMap<string, number>,
  what: string,
): Promise<void> {
  const found = new Map((await service.checks()).map((check) => [check.uuid, check.n_pings]));
  const lost = [...acknowledged].filter(([uuid, pings]) => (found.get(uuid) ?? -1) < pings);
  assert.deepEqual(lost, [], what);
}
