import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { createEmptyPlace, forEachEngine, openTestDriver } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { FakeTimers } from '../../test/fake-timers.ts';
import { someoneWaits } from '../../test/postgres-locks.ts';
import { until } from '../../test/waiting.ts';
import type { Engine } from './dialect.ts';
import { type Driver, type Reader, StorageError } from './driver.ts';
import { BLOCKERS_ASKED_AFTER_MS, MIGRATION_PAUSE_MS, migrate } from './migrate.ts';
import { loadMigrations, type Migration, parseMigration } from './migration-files.ts';
import type { Database } from './open.ts';
import { postgresDialect } from './postgres/dialect.ts';
import { describeProgress, publicProgress, type StorageProgress } from './progress.ts';
import { schemaSql } from './schema-words.ts';

const NOW = 1_767_323_045_678_901;
const clock = new FakeClock(NOW);

function migration(version: number, sql: string, overrides: Partial<Migration> = {}): Migration {
  return {
    version,
    name: `step_${version}`,
    breaking: false,
    needs: null,
    isAtomic: true,
    sql,
    ...overrides,
  };
}

const ascending = (one: number, other: number) => one - other;

function versions(migrations: readonly Migration[]): number[] {
  return migrations.map(({ version }) => version);
}

function hasTable(db: Reader, engine: Engine, name: string): Promise<boolean> {
  const catalogue = { sqlite: 'sqlite_schema where name = $1', postgres: 'pg_class where relname = $1' };
  return db.all(`select 1 as one from ${catalogue[engine]}`, [name]).then((rows) => rows.length === 1);
}

async function recorded(driver: Driver): Promise<unknown[]> {
  const rows = await driver.all<{ version: number; name: string; breaking: boolean | 0 | 1; at: number }>(
    'select version, name, breaking, applied_at as at from schema_migrations order by version',
  );
  return rows.map((row) => ({ ...row, breaking: Boolean(row.breaking) }));
}

forEachEngine((engine) => {
  test('an empty database gets all migrations, in order and with their records', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);

    const applied = await migrate(driver, clock, [
      migration(1, 'create table one (n integer)'),
      migration(2, 'alter table one add column m integer', { breaking: true }),
    ]);

    assert.deepEqual(versions(applied), [1, 2]);
    assert.deepEqual(await driver.all('select n, m from one'), []);
    assert.deepEqual(await recorded(driver), [
      { version: 1, name: 'step_1', breaking: false, at: NOW },
      { version: 2, name: 'step_2', breaking: true, at: NOW },
    ]);
  });

  test('a second run has nothing to do', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const all = await loadMigrations(engine);

    assert.deepEqual(versions(await migrate(driver, clock)), versions(all));
    const before = await recorded(driver);
    assert.deepEqual(await migrate(driver, new FakeClock(NOW + 1)), []);

    assert.deepEqual(await recorded(driver), before);
  });

  test('only what is new is applied', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const first = migration(1, 'create table one (n integer)');
    await migrate(driver, clock, [first]);

    const applied = await migrate(driver, clock, [first, migration(2, 'create table two (n integer)')]);

    assert.deepEqual(versions(applied), [2]);
  });

  test('a migration that fails leaves neither its record nor half of its tables, and can be mended', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const good = migration(1, 'create table one (n integer)');
    const half = 'create table two (n integer);\ninsert into one values (1);\n';

    await assert.rejects(
      migrate(driver, clock, [good, migration(2, `${half}create table nonsense nonsense`)]),
      (error) => error instanceof StorageError && error.kind === 'fault',
    );
    assert.equal(await hasTable(driver, engine, 'two'), false);
    assert.deepEqual(await driver.all('select n from one'), []);
    assert.deepEqual(await recorded(driver), [{ version: 1, name: 'step_1', breaking: false, at: NOW }]);

    assert.deepEqual(versions(await migrate(driver, clock, [good, migration(2, half)])), [2]);
    assert.equal((await driver.all('select n from one')).length, 1);
  });

  test('a newer version that breaks us is refused, with advice', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const known = [migration(1, 'create table one (n integer)')];
    await migrate(driver, clock, [
      ...known,
      migration(2, 'create table two (n integer)', { breaking: true }),
    ]);

    await assert.rejects(migrate(driver, clock, known), {
      name: 'StorageError',
      message:
        'the database was migrated to version 2 by a newer Tocsin, which this one (version 1) cannot work with: upgrade it',
    });
  });

  test('a version before the first that we know is refused, with the way to go', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const steps = [1, 2].map((version) => migration(version, `create table t${version} (n integer)`));
    await migrate(driver, clock, steps);
    const before = await recorded(driver);

    await assert.rejects(migrate(driver, clock, [migration(3, 'create table t1 (n integer)')]), {
      name: 'StorageError',
      message:
        'the database is at version 2, and this Tocsin begins at version 3: start the one of commit e0dda14 once, which knows the steps between, then this one',
    });
    assert.deepEqual(await recorded(driver), before);
  });

  test('a database that came to the first version that we know by earlier steps is taken as it is', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const steps = [1, 2, 3].map((version) => migration(version, `create table t${version} (n integer)`));
    await migrate(driver, clock, steps);

    const applied = await migrate(driver, clock, [
      migration(3, 'create table t1 (n integer)'),
      migration(4, 'create table t4 (n integer)'),
    ]);

    assert.deepEqual(versions(applied), [4]);
  });

  test('a newer version that does not break us is accepted', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const known = [migration(1, 'create table one (n integer)')];
    await migrate(driver, clock, [...known, migration(2, 'create table two (n integer)')]);

    assert.deepEqual(await migrate(driver, clock, known), []);
  });

  test('an upgrade tells of each migration that it begins, every few seconds that it runs, and how long it took', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const clock = new FakeClock(NOW);
    const timers = new FakeTimers(clock);
    const known = [1, 2, 3].map((version) => migration(version, `create table t${version} (n integer)`));
    await migrate(driver, clock, known.slice(0, 1));

    const told: string[] = [];
    const tell = (progress: StorageProgress) => {
      told.push(describeProgress(progress));
      if (progress.event === 'migration.started' && progress.migration.number === 2) timers.pass(12.3);
    };
    await migrate(driver, clock, known, { timers, tell });

    assert.deepEqual(told, [
      'migration 2 of 3: 0002_step_2',
      'migration 2 of 3: 0002_step_2, running for 5 s',
      'migration 2 of 3: 0002_step_2, running for 10 s',
      'migration 2 of 3: 0002_step_2, took 12.3 s',
      'migration 3 of 3: 0003_step_3',
      'migration 3 of 3: 0003_step_3, took 0 s',
    ]);
    assert.equal(timers.count, 0);
  });

  test('of a new database only a migration is told that takes long', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const clock = new FakeClock(NOW);
    const timers = new FakeTimers(clock);
    const known = [1, 2, 3].map((version) => migration(version, `create table t${version} (n integer)`));
    let asked = 0;
    const slow = {
      monotonic: () => clock.monotonic(),
      /** Each migration asks once for the time, to be recorded. */
      now() {
        if (++asked === 2) timers.pass(6);
        return clock.now();
      },
    };

    const told: string[] = [];
    const tell = (progress: StorageProgress) => void told.push(describeProgress(progress));
    await migrate(driver, slow, known, { timers, tell });

    assert.deepEqual(told, [
      'migration 2 of 3: 0002_step_2, running for 5 s',
      'migration 2 of 3: 0002_step_2, took 6 s',
    ]);
  });

  test('of three processes that start at once each version is applied by one, and all come up', async () => {
    await using place = await createEmptyPlace(engine);

    const started = await Promise.all(Array.from({ length: 3 }, () => startProgram(place.database)));
    const results = await Promise.all(started.map((program) => program.go()));

    assert.deepEqual(
      results.map(({ code, checks }) => ({ code, checks })),
      Array(3).fill({ code: 0, checks: 0 }),
      results.map(({ complaint }) => complaint).join('\n'),
    );
    assert.deepEqual(
      results.flatMap(({ applied }) => applied).sort(ascending),
      versions(await loadMigrations(engine)),
    );
  });
});

describe('a long migration on postgres', () => {
  test('outlasts every time-out of ordinary requests, also for the process that waits for it', async () => {
    await using place = await createEmptyPlace('postgres');
    const hurried = { ...place.database, statementTimeoutSeconds: 1, connectTimeoutMs: 3_000 };
    await using driver = await openTestDriver(hurried);
    await using other = await openTestDriver(hurried);
    const long = migration(1, 'create table one (n integer); select pg_sleep(4.3)');

    const [one, two] = await Promise.all([migrate(driver, clock, [long]), migrate(other, clock, [long])]);

    assert.deepEqual(versions([...one, ...two]), [1]);
  });
});

describe('a migration on postgres that needs a table which somebody reads for long', () => {
  test('lets others use the table meanwhile, and is applied when the reader has ended', async () => {
    await using place = await createEmptyPlace('postgres');
    // Such as pg_dump, which nobody hurries.
    const patient = { ...place.database, statementTimeoutSeconds: 600 };
    await using reader = await openTestDriver(patient);
    await using driver = await openTestDriver(place.database);
    const ordinary = { ...place.database, statementTimeoutSeconds: 6 };
    await using node = await openTestDriver(ordinary);
    const first = migration(1, 'create table checks (n integer)');
    const second = migration(2, 'alter table checks add column m integer');
    await migrate(driver, clock, [first]);
    const reading = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    using ended = new DisposableStack();
    ended.defer(read.resolve);
    const dump = reader.transaction(async (tx) => {
      await tx.all('select n from checks');
      reading.resolve();
      await read.promise;
    });
    await reading.promise;

    const told: string[] = [];
    const tell = (progress: StorageProgress) => void told.push(describeProgress(progress));
    // The pause between two tries is short, and nothing else is due.
    const timers = {
      callAfter(ms: number, callback: () => void) {
        if (ms === MIGRATION_PAUSE_MS) setImmediate(callback);
        return () => undefined;
      },
    };
    const migrating = migrate(driver, clock, [first, second], { timers, tell });
    await until('the migration waits for the table', () => someoneWaits(node));
    assert.deepEqual(await node.all('select n from checks'), []);
    assert.equal(await node.transaction((tx) => tx.run('insert into checks values (1)')), 1);
    ended.dispose();
    await dump;

    assert.deepEqual(versions(await migrating), [2]);
    assert.equal(told.at(-1), 'migration 2 of 2: 0002_step_2, took 0 s');
    assert.ok(
      told.includes(
        'migration 2 of 2: 0002_step_2, another session uses a table that it needs, next try in 10 s: canceling statement due to lock timeout',
      ),
      told.join('\n'),
    );
    assert.deepEqual(await node.all('select n, m from checks'), [{ n: 1, m: null }]);
  });
});

describe('a migration on postgres whose table is never free', () => {
  test('names the session that holds it after many tries, and how to end it', async () => {
    await using place = await createEmptyPlace('postgres');
    await using reader = await openTestDriver(place.database);
    await using driver = await openTestDriver(place.database);
    const known = [
      migration(1, 'create table checks (n integer)'),
      migration(2, 'alter table checks add column m integer'),
    ];
    await migrate(driver, clock, known.slice(0, 1));
    using ended = new DisposableStack();
    const read = Promise.withResolvers<void>();
    ended.defer(read.resolve);
    const reading = Promise.withResolvers<number>();
    const dump = reader.transaction(async (tx) => {
      const [row] = await tx.all<{ pid: number }>('select pg_backend_pid() as pid from (select 1) one');
      await tx.all('select n from checks');
      reading.resolve(row?.pid ?? 0);
      await read.promise;
    });
    const pid = await reading.promise;

    const told: StorageProgress[] = [];
    const timers = {
      callAfter(ms: number, callback: () => void) {
        if (ms === MIGRATION_PAUSE_MS) setImmediate(callback);
        // While the try waits for the table.
        if (ms === BLOCKERS_ASKED_AFTER_MS)
          void until('it waits', () => someoneWaits(reader)).then(callback, () => undefined);
        return () => undefined;
      },
    };
    const tell = (progress: StorageProgress) => {
      told.push(progress);
      if (progress.event === 'migration.waiting' && progress.blockedBy !== null) ended.dispose();
    };
    const migrating = migrate(driver, clock, known, { timers, tell, namedAfterTries: 2 });

    assert.deepEqual(versions(await migrating), [2]);
    await dump;
    const [first, second] = told.filter(({ event }) => event === 'migration.waiting');
    assert.ok(first?.event === 'migration.waiting' && second?.event === 'migration.waiting');
    assert.equal(first.blockedBy, null);
    assert.match(
      describeProgress(second),
      new RegExp(
        `; blocked by session ${pid} of \\w+ \\(tocsin.*\\), whose transaction has lasted \\d+ s \\(select pg_terminate_backend\\(${pid}\\) ends it\\)$`,
      ),
    );
    assert.doesNotMatch(publicProgress(second), /session/);
  });
});

describe('an index that is made while others write', () => {
  const index = (sql = 'create index {concurrently} rows_n on rows (n);') =>
    parseMigration('0002_index.sql', schemaSql('postgres', `-- breaking: no\n-- transaction: no\n${sql}\n`));
  const table = migration(1, 'create table rows (n integer)');
  const isValid = async (driver: Driver) =>
    (
      await driver.all<{ valid: boolean }>(`select indisvalid as valid from pg_index
      where indexrelid = to_regclass('rows_n')`)
    ).map(({ valid }) => valid);

  test('does not stop them, and of several processes one makes it', async () => {
    await using place = await createEmptyPlace('postgres');
    await using driver = await openTestDriver(place.database);
    await migrate(driver, clock, [table]);
    const applied = await Promise.all(
      Array.from({ length: 5 }, async () => {
        await using other = await openTestDriver(place.database);
        return versions(await migrate(other, clock, [table, index()]));
      }),
    );

    assert.deepEqual(applied.flat(), [2]);
    assert.deepEqual(await isValid(driver), [true]);
  });

  test('is made anew if it was left half made', async () => {
    await using place = await createEmptyPlace('postgres');
    await using driver = await openTestDriver(place.database);
    const unique = index('create unique index {concurrently} rows_n on rows (n);');
    await migrate(driver, clock, [table]);
    await driver.transaction((tx) => tx.script('insert into rows values (1), (1)'));

    await assert.rejects(migrate(driver, clock, [table, unique]), { name: 'StorageError' });
    assert.deepEqual(await isValid(driver), [false]);
    await driver.transaction((tx) => tx.script('delete from rows'));
    assert.deepEqual(versions(await migrate(driver, clock, [table, unique])), [2]);
    assert.deepEqual(await isValid(driver), [true]);
  });

  test('is part of the transaction where nobody can write', async () => {
    await using place = await createEmptyPlace('postgres');
    await using driver = await openTestDriver(place.database);

    assert.deepEqual(versions(await migrate(driver, clock, [table, index()])), [1, 2]);

    assert.deepEqual(await isValid(driver), [true]);
  });

  test('tells what the server says of it', async () => {
    await using place = await createEmptyPlace('postgres');
    await using driver = await openTestDriver(place.database);
    const timers = new FakeTimers(new FakeClock(NOW));
    await migrate(driver, clock, [
      migration(
        1,
        `create table rows (n integer); insert into rows select generate_series(1, 8);
         create function slowly(n integer) returns integer immutable language plpgsql
           as 'begin perform pg_sleep(0.2); return n; end'`,
      ),
    ]);
    const told: string[] = [];
    const tell = (progress: StorageProgress) => void told.push(describeProgress(progress));

    const migrating = migrate(
      driver,
      timers.clock,
      [table, index('create index {concurrently} rows_n on rows (slowly(n));')],
      { timers, tell },
    );
    await until('the server has said it', () => {
      timers.pass(2.5);
      return told.some((line) =>
        /^migration 2 of 2: 0002_index, building index.*, running for \d+ s$/.test(line),
      );
    });

    assert.deepEqual(versions(await migrating), [2]);
    assert.match(told.at(-1) ?? '', /^migration 2 of 2: 0002_index, took [\d.]+ s$/);
  });
});

describe('two nodes on postgres', () => {
  test('that start at once apply each migration once', async () => {
    await using place = await createEmptyPlace('postgres');
    const known = [1, 2, 3].map((version) => migration(version, `create table t${version} (n integer)`));
    const start = async () => {
      await using driver = await openTestDriver(place.database);
      const applied = await migrate(driver, clock, known);
      return { applied: versions(applied), tables: await hasTable(driver, 'postgres', 't3') };
    };

    const [one, two] = await Promise.all([start(), start()]);

    // Each may have applied some of them.
    assert.deepEqual([...one.applied, ...two.applied].toSorted(ascending), versions(known));
    assert.deepEqual([one.tables, two.tables], [true, true]);
  });
});

describe('a process that finds another one migrating on postgres', () => {
  test('waits, and tells every few seconds what it waits for', async () => {
    await using place = await createEmptyPlace('postgres');
    await using other = await openTestDriver(place.database);
    await using driver = await openTestDriver(place.database);
    await using observer = await openTestDriver(place.database);
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    using ending = new DisposableStack();
    ending.defer(ended.resolve);
    const holding = other.transaction(async (tx) => {
      await tx.script(postgresDialect.beginMigration ?? assert.fail());
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;

    const timers = new FakeTimers(new FakeClock(NOW));
    const told: string[] = [];
    const tell = (progress: StorageProgress) => void told.push(describeProgress(progress));
    const migrating = migrate(driver, timers.clock, [migration(1, 'create table one (n integer)')], {
      timers,
      tell,
    });
    await until('it waits', () => someoneWaits(observer));
    timers.pass(11);
    ending.dispose();
    await holding;

    assert.deepEqual(versions(await migrating), [1]);
    assert.deepEqual(told, [
      'another process migrates the database, waiting for it, 5 s so far',
      'another process migrates the database, waiting for it, 10 s so far',
    ]);
  });
});

describe('a migration on postgres whose session ends', () => {
  test('is begun again if the caller tries again, and is applied once', async () => {
    await using place = await createEmptyPlace('postgres');
    await using driver = await openTestDriver(place.database);
    const first = migration(1, 'create table one (n integer); create sequence tries');
    // A sequence is not rolled back.
    const second = migration(
      2,
      `create table two (n integer); insert into one values (1);
       select pg_terminate_backend(pg_backend_pid()) where nextval('tries') = 1`,
    );

    await migrate(driver, clock, [first]);
    await assert.rejects(migrate(driver, clock, [first, second]), { code: 'storage_unavailable' });
    await driver.transaction((tx) => tx.script(`select setval('tries', 1, false)`));
    const failures: unknown[] = [];
    const attempt = async <T>(transaction: () => Promise<T>): Promise<T> => {
      try {
        return await transaction();
      } catch (error) {
        failures.push(error);
        return transaction();
      }
    };
    const applied = await migrate(driver, clock, [first, second], { attempt });

    assert.deepEqual(versions(applied), [2]);
    assert.equal(failures.length, 1);
    assert.deepEqual(await driver.all('select n from one'), [{ n: 1 }]);
  });
});

describe('a migration file', () => {
  const header = '-- breaking: no\n';

  test('is read with its number, its name and whether it breaks older programs', () => {
    const sql = '-- breaking: yes\nselect 1;\n';

    const parsed = parseMigration('0042_the_answer.sql', sql);

    assert.deepEqual(parsed, {
      version: 42,
      name: 'the_answer',
      breaking: true,
      needs: null,
      isAtomic: true,
      sql,
    });
  });

  for (const name of [
    '42_answer.sql',
    '0042.sql',
    '0042_answer.txt',
    '0042-answer.sql',
    '00042_answer.sql',
  ]) {
    test(`is refused when it is called ${name}`, () => {
      assert.throws(() => parseMigration(name, header), {
        message: `migration ${name} is not named NNNN_name.sql`,
      });
    });
  }

  for (const sql of ['', 'select 1;', '\n-- breaking: no\n', '-- breaking: maybe\n', '-- breaking: no']) {
    test(`is refused when it begins with ${JSON.stringify(sql)}`, () => {
      assert.throws(() => parseMigration('0001_init.sql', sql), {
        message: 'migration 0001_init.sql does not begin with "-- breaking: yes" or "no"',
      });
    });
  }

  test('has a number that is not used twice, and none is left out', async () => {
    const numbers = versions(await loadMigrations('sqlite'));

    assert.deepEqual(
      numbers,
      numbers.map((_, index) => 36 + index),
    );
  });

  test('writes what differs between engines in braces', () => {
    const sql = 'create table one (id {id}, is_new {boolean} not null default {true}) {rows};';

    assert.equal(
      schemaSql('sqlite', sql),
      'create table one (id integer primary key autoincrement, is_new integer not null default 1) strict;',
    );
    assert.equal(
      schemaSql('postgres', sql),
      'create table one (id bigint generated by default as identity primary key, is_new boolean not null default true) ;',
    );
  });

  test('has paragraphs for one engine', () => {
    const sql = ['select 1;', '-- only sqlite\nselect 2;', '-- only postgres\nselect 3;', 'select 4;'].join(
      '\n\n',
    );

    assert.equal(schemaSql('sqlite', sql), 'select 1;\n\n-- only sqlite\nselect 2;\n\nselect 4;');
    assert.equal(schemaSql('postgres', sql), 'select 1;\n\n-- only postgres\nselect 3;\n\nselect 4;');
  });

  test('is refused when it has a word in braces that is not known', () => {
    assert.throws(() => schemaSql('sqlite', 'create table one (n {number});'), {
      message: 'migrations know no word {number}',
    });
  });
});

interface ProgramResult {
  code: number | null;
  applied: number[];
  checks: number | null;
  complaint: string;
}

/** A process that is ready to migrate and waits to be let go. */
async function startProgram(database: Database): Promise<{ go(): Promise<ProgramResult> }> {
  const program = new URL('../../test/crash/migrate-program.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, JSON.stringify(database)]);
  const complaint = text(child.stderr);
  const ready = Promise.withResolvers<void>();
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    ready.resolve();
  });
  const end = Promise.withResolvers<number | null>();
  child.once('close', (code) => {
    ready.resolve();
    end.resolve(code);
  });
  await ready.promise;
  return {
    async go() {
      child.stdin.end();
      const code = await end.promise;
      const [, result = '{"applied":[],"checks":null}'] = output.split('\n');
      return { code, ...JSON.parse(result || '{"applied":[],"checks":null}'), complaint: await complaint };
    },
  };
}
