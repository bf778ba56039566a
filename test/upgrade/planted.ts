import assert from 'node:assert/strict';
import { systemClock } from '../../src/lib/clock.ts';
import type { Micros } from '../../src/lib/instant.ts';
import type { Engine } from '../../src/storage/dialect.ts';
import type { Driver } from '../../src/storage/driver.ts';
import { loadMigrations, type Migration } from '../../src/storage/migration-files.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';

/** What releases know that do not exist: 1.1 adds a table, 1.2 takes a column of it away and adds another table. */
export async function plantedReleases(engine: Engine) {
  const old = await loadMigrations(engine);
  const last = old.at(-1)?.version ?? 0;
  const step = (place: number, sql: string, needs: string | null = null): Migration => ({
    ...{ version: last + place, name: `step_${place}`, breaking: needs !== null, needs, isAtomic: true, sql },
  });
  const expand = step(1, 'create table shapes (old_form integer, new_form integer)');
  const contract = step(2, 'alter table shapes drop column old_form', '1.2');
  const later = step(3, 'create table colours (n integer)');
  return {
    contract: contract.version,
    '1.0.0': old,
    '1.1.0': [...old, expand],
    '1.2.0': [...old, expand, contract, later],
    '1.2.1': [...old, expand, contract, later],
    '1.3.0': [...old, expand, contract, later],
  };
}

export type PlantedRelease = Exclude<keyof Awaited<ReturnType<typeof plantedReleases>>, 'contract'>;

/** Whether the planted contract step was made. */
export function isContracted(driver: Driver): Promise<boolean> {
  return driver.all('select old_form from shapes').then(
    () => false,
    () => true,
  );
}

/** A node of a release beats. */
export async function beat(driver: Driver, node: string, version: string | null): Promise<void> {
  const store = createSqlStore(driver);
  const now = (await store.time()) ?? systemClock.now();
  await store.transaction((tx) => tx.liveness.beat(node, now, 0, version));
}

/** Makes beats and the first start of the newest release older by so much. */
export async function letPass(driver: Driver, span: Micros): Promise<void> {
  await driver.transaction(async (tx) => {
    await tx.run('update watch set beat_at = beat_at - $1', [span]);
    const [row] = await tx.all<{ value: string }>(`select value from instance where key = 'programs'`);
    const programs = JSON.parse(row?.value ?? assert.fail());
    await tx.run(`update instance set value = $1 where key = 'programs'`, [
      JSON.stringify({ ...programs, since: programs.since - span }),
    ]);
  });
}
