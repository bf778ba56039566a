import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { type CoreWorld, openCore, openWithRetries } from '../src/core.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { loadMigrations } from '../src/storage/migration-files.ts';
import type { StorageProgress } from '../src/storage/progress.ts';
import { DECLARATION } from './cli.test-support.ts';
import { createEmptyPlace, createMigratedPlace, postgresAt, type TestPlace } from './engines.ts';
import { createGate, type Gate } from './faults/gate.ts';
import { form } from './form.ts';
import { withWrongPassword } from './postgres.ts';
import { listening, runCli, startCli, temporaryFolder } from './process.ts';

const WORLD: CoreWorld = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };

function gateTo({ database }: TestPlace): Promise<Gate> {
  assert.ok(database.engine === 'postgres');
  return createGate(database.url);
}

/** Opens the gate as soon as it is told that somebody waits. */
function openWhenAwaited(gate: Gate, told: StorageProgress[]): (progress: StorageProgress) => void {
  return (progress) => {
    told.push(progress);
    if (progress.event === 'database.waiting') void gate.open();
  };
}

const eventsOf = (told: readonly StorageProgress[]) => new Set(told.map(({ event }) => event));

/** The steps of a start with its database, and a part of the statement by which a gate knows each. */
const STEPS = [
  ['migrates', 'schema_migrations'],
  ['reads its secret', 'secret_key_next'],
  ['asks for the time', 'clock_timestamp()'],
  ['notes whether there is mail', 'without_mail'],
  ['applies its file', 'pg_advisory_xact_lock(127970320839023)'],
  ['looks for passkeys', 'from passkeys limit 1'],
  ['looks for a project', '(select 1 from projects'],
  ['makes the first project', 'first_start'],
  ['counts checks', '(select 1 from checks'],
] as const;

describe('a start', () => {
  for (const [what, text] of form.isLong ? STEPS : STEPS.slice(0, 2)) {
    test(`whose database goes away when it ${what} waits until it is back, and goes on`, async () => {
      await using folder = await temporaryFolder();
      const isWithFile = what === 'applies its file';
      const provisionFile = isWithFile ? join(folder.path, 'declaration.yaml') : null;
      if (provisionFile !== null) await writeFile(provisionFile, DECLARATION);
      await using place = await createMigratedPlace('postgres');
      await using gate = await gateTo(place);
      await gate.open();
      gate.closeAt(text);
      const told: StorageProgress[] = [];
      const config = {
        ...readConfig({}),
        database: postgresAt(gate.url),
        listen: { host: '127.0.0.1', port: 0 },
        provisionFile,
      };

      await using app = await startApp(config, {
        ...WORLD,
        databaseTime: (store) => store.time(),
        tell: openWhenAwaited(gate, told),
      });

      assert.equal((await fetch(`http://127.0.0.1:${app.port}/ping/`, { method: 'OPTIONS' })).status, 204);
      const { projects, checks } = app.report.watching;
      assert.deepEqual([projects.count, checks.count], [1, isWithFile ? 1 : 0]);
      assert.deepEqual(eventsOf(told), new Set(['database.waiting', 'database.answering']));
    });
  }

  test('goes on trying when a server that is there does not answer in time', async () => {
    await using place = await createMigratedPlace('postgres');
    await using gate = await gateTo(place);
    await gate.fallSilent();
    const told: StorageProgress[] = [];

    await using driver = await openWithRetries(
      { ...postgresAt(gate.url), connectTimeoutMs: 1_000 },
      { ...WORLD, tell: openWhenAwaited(gate, told) },
    );

    assert.deepEqual(await driver.all('select 1 as one'), [{ one: 1 }]);
    const [first] = told;
    assert.ok(first?.event === 'database.waiting');
    assert.match(first.reason, /timeout/);
  });
});

describe('a service', () => {
  test('that starts before its database waits for it, tells what it waits for, and then serves', async () => {
    await using folder = await temporaryFolder();
    await using place = await createEmptyPlace('postgres');
    await using gate = await gateTo(place);
    await using service = startCli(['serve'], { cwd: folder.path, env: { DATABASE_URL: gate.url } });

    const [waiting] = await service.output(/^.*"database\.waiting".*$/m);
    await gate.open();
    const url = await listening(service);
    const [answering] = await service.output(/^.*"database\.answering".*$/m);

    const { host, pathname, password } = new URL(gate.url);
    const { level, database, reason, message } = JSON.parse(waiting);
    assert.deepEqual([level, database], ['warn', `PostgreSQL, ${host}${pathname}`]);
    assert.match(reason, /^no connection to the database: connect ECONNREFUSED/);
    assert.match(message, /^waiting for PostgreSQL, .* s so far: no connection to the database: /);
    assert.equal(JSON.parse(answering).level, 'info');
    assert.ok(password.length > 0 && !waiting.includes(password));
    assert.equal((await fetch(`${url}/api/v3/status/`)).status, 200);
  });

  test('whose database goes away late in its start ends when it is asked to', async () => {
    await using folder = await temporaryFolder();
    await using place = await createMigratedPlace('postgres');
    await using gate = await gateTo(place);
    await gate.open();
    gate.closeAt('from (select 1 from projects');
    await using service = startCli(['serve'], { cwd: folder.path, env: { DATABASE_URL: gate.url } });

    // On a busy machine it may have waited before, for a connection that came too late.
    await service.output(/"database\.waiting"(?!.*timeout)/);
    service.signal('SIGTERM');
    const exit = await service.exit();

    assert.equal(exit.code, 0, exit.stderr);
    assert.equal(exit.stdout, 'Stopped during the start.\n');
  });

  test('whose database refuses the password ends at once with the reason', async () => {
    await using folder = await temporaryFolder();
    await using place = await createEmptyPlace('postgres');
    assert.ok(place.database.engine === 'postgres');
    const env = { DATABASE_URL: withWrongPassword(place.database.url) };

    const refused = await runCli(['serve'], { cwd: folder.path, env });

    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^password authentication failed for user ".*"\n$/m);
  });
});

test('migrate waits for its database in plain lines, and ends when it is asked to', async () => {
  await using folder = await temporaryFolder();
  await using place = await createEmptyPlace('postgres');
  await using gate = await gateTo(place);
  const options = { cwd: folder.path, env: { DATABASE_URL: gate.url } };

  await using stopped = startCli(['migrate'], options);
  await stopped.output(/^waiting for PostgreSQL, .*: no connection to the database: .*\n/m);
  stopped.signal('SIGTERM');
  const stop = await stopped.exit();
  await using patient = startCli(['migrate'], options);
  await patient.output(/^waiting for PostgreSQL, /m);
  await gate.open();
  const done = await patient.exit();

  assert.equal(stop.code, 1);
  assert.match(
    stop.stderr,
    /\nStopped before the database was up to date\. A migration that was running is rolled back\.\n$/,
  );
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^Applied 0036_baseline/);
  assert.match(done.stderr, /^PostgreSQL, .* answers after \d+ s$/m);
});

test('an upgrade tells of each migration in the log', async () => {
  await using place = await createMigratedPlace('sqlite');
  const known = await loadMigrations('sqlite');
  const version = known.length + 36;
  const next = {
    version,
    name: 'next',
    breaking: false,
    needs: null,
    isAtomic: true,
    sql: 'create table next (n integer)',
  };
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });

  await using core = await openCore(
    { ...readConfig({}), database: place.database },
    { ...WORLD, log, migrations: [...known, next] },
  );

  assert.deepEqual(core.upgrade.migrated, [next]);
  const of = known.length + 1;
  const migration = { number: of, of, name: `00${version}_next` };
  const told = lines
    .map((line) => JSON.parse(line))
    .filter(({ event }) => /^migration\.(?!running)/.test(event));
  assert.deepEqual(
    told.map(({ level, event, migration, msg }) => ({
      level,
      event,
      migration,
      msg: msg.replace(/[\d.]+ s$/, 'TIME'),
    })),
    [
      {
        level: 30,
        event: 'migration.started',
        migration,
        msg: `migration ${of} of ${of}: ${migration.name}`,
      },
      {
        level: 30,
        event: 'migration.finished',
        migration,
        msg: `migration ${of} of ${of}: ${migration.name}, took TIME`,
      },
    ],
  );
  assert.equal(typeof told[1].seconds, 'number');
});
