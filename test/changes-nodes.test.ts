import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pino from 'pino';
import { type Config, readConfig } from '../src/config.ts';
import type { ProjectChange } from '../src/domain/change.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { type App, startApp } from '../src/main.ts';
import type { Driver } from '../src/storage/driver.ts';
import type { Database } from '../src/storage/open.ts';
import { createMigratedPlace, forEachEngine, openTestDriver } from './engines.ts';
import { until } from './waiting.ts';

const WORLD = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };
const KEY = `hcw_${'b'.repeat(28)}`;
const WHOLE = { checkIds: 'all', channelIds: 'all' } as const;

const SECRET = 'a secret for tests only, and a long one';
const CLI = fileURLToPath(new URL('../src/cli/index.ts', import.meta.url));

function configOf(database: Database): Config {
  return {
    ...readConfig({ SECRET_KEY: SECRET }),
    database,
    listen: { host: '127.0.0.1', port: 0 },
  };
}

/**
 * Two checks of one project, made by the command `apply`. In a process of its own, as ever: on SQLite a command that waits
 * for the database would keep the node in this process from finishing its transaction.
 */
async function applyFile(database: Database, timeout = 300): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'tocsin-changes-'));
  const path = join(directory.path, 'tocsin.yaml');
  await writeFile(
    path,
    `accounts: [{ email: alice@example.org }]
projects:
  - name: Alpha
    owner: alice@example.org
    keys: { read_write: ${KEY} }
    checks: [{ slug: one, timeout: ${timeout} }, { slug: two }]
`,
  );
  const url = database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url;
  await promisify(execFile)(process.execPath, [CLI, 'apply', path], {
    cwd: directory.path,
    env: { ...process.env, SECRET_KEY: SECRET, DATABASE_URL: url },
  });
}

interface Rows {
  readonly projectId: number;
  readonly ids: readonly number[];
  readonly uuids: readonly string[];
}

async function rowsOf(driver: Driver): Promise<Rows> {
  const rows = await driver.all<{ id: number; uuid: string; projectId: number }>(
    'select id, uuid, project_id as "projectId" from checks order by id',
  );
  const [first] = rows;
  assert.ok(first);
  return {
    projectId: first.projectId,
    ids: rows.map(({ id }) => id),
    uuids: rows.map(({ uuid }) => uuid),
  };
}

async function ping(app: App, uuid = ''): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${app.port}/ping/${uuid}`);
  assert.equal(reply.status, 200);
}

const CONNECTIONS = `select pid from pg_stat_activity
  where application_name = 'tocsin changes' and datname = current_database()`;

/** Resolves when so many nodes, which have published nothing yet, hear each other. */
async function untilListening(driver: Driver, nodes: number): Promise<void> {
  if (driver.dialect.engine === 'sqlite') return;
  const listening = `${CONNECTIONS} and query like 'listen %'`;
  await until('the nodes listen', async () => (await driver.all(listening)).length === nodes);
}

/** Hears what an app tells about a project. */
function subscribe(app: App, projectId: number) {
  let told: ProjectChange[] = [];
  app.changes.subscribe(projectId, (change) => told.push(change));
  return {
    hears: (change: Omit<ProjectChange, 'projectId'>) =>
      until('the change is told', () => told.some((one) => isSame(one, { projectId, ...change }))),
    /** How often something was told that names checks. */
    detailed: () => told.filter(({ checkIds }) => checkIds !== 'all').length,
    forget: () => {
      told = [];
    },
  };
}

function isSame(one: ProjectChange, other: ProjectChange): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

forEachEngine((engine) => {
  test('a node tells its subscribers of pings and of edits', async () => {
    await using place = await createMigratedPlace(engine);
    await applyFile(place.database);
    await using app = await startApp(configOf(place.database), WORLD);
    await using driver = await openTestDriver(place.database);
    const { projectId, ids, uuids } = await rowsOf(driver);
    const { hears, detailed } = subscribe(app, projectId);
    const other = subscribe(app, projectId + 1);
    await untilListening(driver, 1);

    await ping(app, uuids[0]);
    await hears({ checkIds: [Number(ids[0])], channelIds: [] });
    const reply = await fetch(`http://127.0.0.1:${app.port}/api/v3/checks/${uuids[1]}/pause`, {
      method: 'POST',
      headers: { 'x-api-key': KEY },
      body: '',
    });
    assert.equal(reply.status, 200);
    await hears({ checkIds: [Number(ids[1])], channelIds: [] });

    assert.deepEqual([detailed(), other.detailed()], [2, 0]);
  });

  test('a node tells its subscribers of what a command has changed beside it', async () => {
    await using place = await createMigratedPlace(engine);
    await applyFile(place.database);
    await using app = await startApp(configOf(place.database), WORLD);
    await using driver = await openTestDriver(place.database);
    const { projectId, ids, uuids } = await rowsOf(driver);
    const { hears } = subscribe(app, projectId);
    await untilListening(driver, 1);

    await applyFile(place.database, 600);
    // On SQLite the next write finds that somebody else has written, but not what.
    if (engine === 'sqlite') await ping(app, uuids[1]);

    await hears(engine === 'sqlite' ? WHOLE : { checkIds: [Number(ids[0])], channelIds: [] });
  });
});

describe('two nodes on postgres', () => {
  test('tell each other what they have changed, also after their connections were cut, and hang up', async () => {
    await using place = await createMigratedPlace('postgres');
    await applyFile(place.database);
    await using driver = await openTestDriver(place.database);
    const { projectId, ids, uuids } = await rowsOf(driver);
    {
      await using one = await startApp(configOf(place.database), WORLD);
      await using two = await startApp(configOf(place.database), WORLD);
      const nodes = [subscribe(one, projectId), subscribe(two, projectId)];
      await untilListening(driver, 2);

      await ping(one, uuids[0]);
      for (const node of nodes) await node.hears({ checkIds: ids.slice(0, 1), channelIds: [] });
      await ping(two, uuids[1]);
      for (const node of nodes) await node.hears({ checkIds: ids.slice(1), channelIds: [] });
      assert.deepEqual(
        nodes.map((node) => node.detailed()),
        [2, 2],
      );
      for (const node of nodes) node.forget();

      const cut = await driver.all(`select pg_terminate_backend(pid) from (${CONNECTIONS}) as connections`);
      assert.equal(cut.length, 2);
      for (const node of nodes) await node.hears(WHOLE);
      await ping(one, uuids[0]);
      for (const node of nodes) await node.hears({ checkIds: ids.slice(0, 1), channelIds: [] });
    }

    await until('the nodes have hung up', async () => (await driver.all(CONNECTIONS)).length === 0);
  });
});
