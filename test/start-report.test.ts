import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { fileSystemOf } from '../src/lib/file-system.ts';
import { seconds } from '../src/lib/instant.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { fillLastResults } from '../src/services/check/last-results.ts';
import { reportStart, type StartFindings } from '../src/start-report.ts';
import type { Driver } from '../src/storage/driver.ts';
import { migrate } from '../src/storage/migrate.ts';
import { loadMigrations } from '../src/storage/migration-files.ts';
import type { Database } from '../src/storage/open.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { type StartReport, startReportText } from '../src/wire/start-report.ts';
import { startTestApp } from './app.ts';
import { createEmptyPlace, forEachEngine, openTestDriver } from './engines.ts';
import { temporaryFolder } from './process.ts';
import { checkRecord, givenProject } from './records.ts';

/** In every secret that the service is given. */
const PLANTED = 'planted-and-never-to-be-shown';
const RELEASE = '9.8.7';

/** What a start has found where nothing is unusual. */
const FINDINGS: StartFindings = {
  installed: 'clone',
  listens: { http: { address: '127.0.0.1', port: 8000 }, mail: null },
  upgrade: { migrated: [], waiting: [], copy: null, seconds: 0 },
  lastBeatAt: null,
  sync: null,
  hasPages: true,
  warnings: [],
};

/** Starts the service on the database once, and returns its report and all that it has logged. */
async function start(database: Database, environment: Record<string, string> = {}) {
  const lines: string[] = [];
  const config = readConfig({ SECRET_KEY: PLANTED, PORT: '0', HOST: '127.0.0.1', ...environment });
  await using app = await startApp(
    { ...config, database },
    {
      clock: systemClock,
      random: systemRandom,
      log: pino({}, { write: (line: string) => void lines.push(line) }),
      databaseTime: (store) => store.time(),
      version: RELEASE,
      installed: 'image',
      warnings: ['the data is on no volume'],
    },
  );
  return { report: app.report, port: app.port, lines };
}

/** A check as programs before the last step wrote it. The store of today may write columns that the step adds. */
async function insertEarlierCheck(driver: Driver, projectId: number): Promise<void> {
  const { name, slug, tags, status } = checkRecord(projectId);
  const row = {
    ...{ uuid: systemRandom.uuid(), badge_key: systemRandom.uuid(), unique_key: systemRandom.uuid() },
    ...{ project_id: projectId, name, slug, tags, description: '', status, ping_count: 0, created_at: 0 },
    ...{ kind: 'simple', timeout_seconds: 60, grace_seconds: 60, schedule: '* * * * *', tz: 'UTC' },
    ...{ methods: '', start_keywords: '', success_keywords: '', failure_keywords: '' },
    ...{ filter_subject: false, filter_body: false, filter_http_body: false, filter_default_fail: false },
    ...{ manual_resume: false, run_reported: false },
  };
  const places = Object.keys(row).map((_, index) => `$${index + 1}`);
  await driver.transaction((tx) =>
    tx.run(
      `insert into checks (${Object.keys(row).join(', ')}) values (${places.join(', ')})`,
      Object.values(row),
    ),
  );
}

/** All but the last step, some checks, and a beat of some time ago. */
async function givenEarlierDatabase(database: Database, secondsAgo: number): Promise<number> {
  await using driver = await openTestDriver(database);
  const known = await loadMigrations(database.engine);
  await migrate(driver, systemClock, known.slice(0, -1));
  const { project } = await givenProject(createSqlStore(driver));
  for (let i = 0; i < 3; i++) await insertEarlierCheck(driver, project.id);
  const at = systemClock.now() - seconds(secondsAgo);
  await driver.transaction((tx) =>
    tx.run('insert into watch (node, beat_at) values ($1, $2)', [systemRandom.uuid(), at]),
  );
  return known.at(-1)?.version ?? 0;
}

forEachEngine((engine) => {
  suite('the report of a start', () => {
    test('is true, is the same in the log and for people, and has no secret', async () => {
      await using place = await createEmptyPlace(engine);
      await using folder = await temporaryFolder();
      const { database } = place;
      const last = await givenEarlierDatabase(database, 3_600);
      const backups = join(folder.path, 'backups');
      await mkdir(backups);
      await writeFile(join(folder.path, 'passphrase'), `${PLANTED}\n`);

      const { report, port, lines } = await start(database, {
        SECRET_KEY_FALLBACKS: `${PLANTED} as well`,
        EMAIL_HOST: '127.0.0.1',
        EMAIL_HOST_USER: 'mail',
        EMAIL_HOST_PASSWORD: PLANTED,
        HEARTBEAT_URL: `http://127.0.0.1:9/${PLANTED}`,
        BACKUP_DIR: backups,
        BACKUP_PASSPHRASE_FILE: join(folder.path, 'passphrase'),
        SITE_ROOT: 'https://tocsin.example.org',
        TRUSTED_PROXIES: '192.0.2.0/24',
        SMTPD_PORT: '0',
        PING_EMAIL_DOMAIN: 'ping.example.org',
      });

      const { node, listens, database: told, schema, watching, ...others } = report;
      assert.deepEqual(others, {
        program: {
          version: RELEASE,
          architecture: process.arch === 'x64' ? 'amd64' : process.arch,
          node: process.versions.node.replace(/\.\d+$/, ''),
          installed: 'image',
        },
        site: { root: 'https://tocsin.example.org', trustedProxies: ['192.0.2.0/24'] },
        backups: { folder: backups, age: null },
        heartbeatEvery: 60,
        warnings: others.warnings,
      });
      assert.deepEqual(others.warnings.slice(0, 2), ['the data is on no volume', 'METRICS_KEY is not set']);
      assert.equal(node.machine, hostname());
      await using driver = await openTestDriver(database);
      const [beat] = await driver.all<{ node: string }>('select node from watch order by beat_at desc');
      assert.equal(node.name, beat?.node.slice(0, 4));
      assert.deepEqual(listens, {
        http: { address: '127.0.0.1', port },
        mail: { address: '127.0.0.1', port: listens.mail?.port, domain: 'ping.example.org' },
      });
      assert.deepEqual(
        { ...schema, took: 0, copy: null, filled: 1 },
        { from: last - 1, to: last, took: 0, copy: null, waiting: 0, filled: 1 },
      );
      assert.ok(schema.took > 0);
      assert.deepEqual(
        { ...watching, unwatched: 0 },
        {
          checks: { count: 3, isEstimate: false },
          projects: { count: 1, isEstimate: false },
          unwatched: 0,
          wasBlind: true,
        },
      );
      assert.ok(watching.unwatched !== null && watching.unwatched >= seconds(3_600));
      const version = engine === 'sqlite' ? 'sqlite_version()' : `current_setting('server_version')`;
      const [truth] = await driver.all<{ version: string }>(`select ${version} as version`);
      assert.equal(told.version, /^\d+\.\d+/.exec(truth?.version ?? '')?.[0]);
      assert.ok(told.bytes > 0);
      if (database.engine === 'sqlite') {
        const { kind, totalBytes } = await fileSystemOf(dirname(database.path));
        assert.deepEqual([told.engine, told.place], ['SQLite', database.path]);
        assert.equal(told.disk?.fileSystem, kind);
        assert.ok(Number(told.disk?.freeBytes) <= totalBytes && told.disk?.sync !== null);
      } else {
        const { host, pathname } = new URL(database.url);
        assert.deepEqual([told.engine, told.place, told.disk], ['PostgreSQL', host + pathname, null]);
      }

      const [event, ...more] = lines
        .map((line) => JSON.parse(line) as StartReport & { event: string })
        .filter(({ event }) => event === 'start.report');
      assert.ok(event !== undefined && more.length === 0, 'it is told once');
      assert.equal(startReportText(event), startReportText(report));
      const { password } = database.engine === 'sqlite' ? { password: '' } : new URL(database.url);
      for (const secret of [PLANTED, password].filter((text) => text !== ''))
        assert.ok(!(lines.join('') + startReportText(report)).includes(secret));
    });

    test('says after a short stop that nothing was missed', async () => {
      await using place = await createEmptyPlace(engine);
      await start(place.database);

      const { report } = await start(place.database);

      const { watching, schema } = report;
      assert.equal(watching.wasBlind, false);
      assert.match(startReportText(report), /; last beat \S+ m?s ago, so nothing was missed$/m);
      assert.equal(schema.from, schema.to);
    });

    test('says how much is filled of what an upgrade has added to older checks', async () => {
      await using app = await startTestApp(engine);
      const { project } = await app.givenProject();
      for (let i = 0; i < 3; i++) await app.givenCheck(project);
      const config = { ...readConfig({}), database: app.database };

      const shares: number[] = [];
      do shares.push((await reportStart(config, app.node, FINDINGS)).schema.filled);
      while (await fillLastResults(app.deps, 2));

      assert.deepEqual(shares, [0, 2 / 3, 1]);
    });
  });
});
