import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import type { Driver, Writer } from '../../src/storage/driver.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { loadMigrations, type Migration } from '../../src/storage/migration-files.ts';
import { schemaOf } from '../../src/storage/schema.test-support.ts';
import {
  createEmptyPlace,
  createMigratedPlace,
  forEachEngine,
  openTestDriver,
  type TestPlace,
} from '../engines.ts';

class Killed extends Error {}

/** A driver whose process is killed after so many statements of a script. */
function mortal(driver: Driver, statements: number): Driver {
  let left = statements;
  const dying = (tx: Writer): Writer => ({
    ...tx,
    async script(sql) {
      for (const statement of statementsOf(sql)) {
        if (left-- === 0) throw new Killed();
        await tx.script(statement);
      }
    },
  });
  return new Proxy(driver, {
    get(target, name) {
      if (name === 'transaction')
        return (work: (tx: Writer) => Promise<unknown>) => target.transaction((tx) => work(dying(tx)));
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Functions and triggers have semicolons in them, and end in a line of their own. */
function statementsOf(sql: string): string[] {
  return /\$\$|\bbegin\b/.test(sql)
    ? [sql]
    : sql.split(/;\s*\n/).filter((statement) => statement.trim() !== '');
}

/** Also those that wait for older programs. */
const ALL_STEPS = { contractBy: 'restore' } as const;

forEachEngine((engine) => {
  test('a migration that is killed after any statement is completed by the next start', async () => {
    const known = await loadMigrations(engine);
    await using fresh = await createMigratedPlace(engine);
    await using whole = await openTestDriver(fresh.database);
    const expected = await schemaOf(whole);

    let isKilled = true;
    let statements = 0;
    for (; isKilled; statements++) {
      await using place = await createEmptyPlace(engine);
      await using driver = await openTestDriver(place.database);
      await migrate(driver, systemClock, known.slice(0, 1));
      isKilled = await migrate(mortal(driver, statements), systemClock, known, ALL_STEPS).then(
        () => false,
        (error: unknown) => {
          if (error instanceof Killed) return true;
          throw error;
        },
      );
      await migrate(driver, systemClock, known, ALL_STEPS);
      assert.deepEqual(await schemaOf(driver), expected, `killed after ${statements} statements`);
    }

    assert.ok(statements > known.length, String(statements));
  });
});

/** Starts processes that migrate, and lets them go at once. Returns what each has applied. */
async function startTogether(place: TestPlace, count: number): Promise<number[][]> {
  const program = new URL('../crash/migrate-program.ts', import.meta.url).pathname;
  const { database } = place;
  assert.ok(database.engine === 'postgres');
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, [program, JSON.stringify({ ...database, poolSize: 1 })], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const outputs = children.map(async (child) => {
    let output = '';
    const ready = Promise.withResolvers<void>();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      ready.resolve();
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    void ended.then(() => ready.resolve());
    return { ready: ready.promise, ended, output: () => output };
  });
  const running = await Promise.all(outputs);
  await Promise.all(running.map(({ ready }) => ready));
  for (const child of children) child.stdin.end();
  return Promise.all(
    running.map(async ({ ended, output }) => {
      assert.equal(await ended, 0);
      const result: { applied: number[] } = JSON.parse(output().split('\n')[1] ?? '{}');
      return result.applied;
    }),
  );
}

const STARTS = 50;

test('of fifty starts at once on an empty PostgreSQL each step is made by one, and none fails', async () => {
  await using place = await createEmptyPlace('postgres');

  const applied = await startTogether(place, STARTS);

  const known = await loadMigrations('postgres');
  assert.deepEqual(
    applied.flat().toSorted((one, other) => one - other),
    known.map(({ version }: Migration) => version),
  );
});

test('of fifty starts at once on an old PostgreSQL each step is made by one, and none fails', async () => {
  await using place = await createEmptyPlace('postgres');
  const known = await loadMigrations('postgres');
  {
    await using driver = await openTestDriver(place.database);
    await migrate(driver, systemClock, known.slice(0, 1));
  }

  const applied = await startTogether(place, STARTS);

  assert.deepEqual(
    applied.flat().toSorted((one, other) => one - other),
    // Steps that older programs do not survive wait.
    known
      .slice(1)
      .filter(({ breaking }) => !breaking)
      .map(({ version }) => version),
  );
});
