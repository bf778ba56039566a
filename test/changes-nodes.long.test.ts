import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import pino from 'pino';
import type { Config } from '../src/config/read-config.ts';
import { readConfig } from '../src/config/read-config.ts';
import { openCore } from '../src/core.ts';
import type { ProjectChange } from '../src/domain/change.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { type App, startApp } from '../src/main.ts';
import { applyProvisionFile } from '../src/provision/apply.ts';
import type { Driver } from '../src/storage/driver.ts';
import type { Database } from '../src/storage/open.ts';
import { ChangeNotices } from '../src/storage/postgres/change-notices.ts';
import { createMigratedPlace, forEachEngine, openTestDriver } from './engines.ts';
import { startSwitch } from './faults/switch.ts';
import { startCli } from './process.ts';
import { until } from './waiting.ts';

const WORLD = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };
const SECRET_KEY = 'a secret for tests only, and a long one';
const KEY = `hcw_${'b'.repeat(28)}`;

function configOf(database: Database): Config {
  return {
    ...readConfig({ SECRET_KEY }),
    database,
    listen: { host: '127.0.0.1', port: 0 },
  };
}

/** Three checks of one project. */
const declaration = (timeout: number) => `accounts: [{ email: alice@example.org }]
projects:
  - name: Alpha
    owner: alice@example.org
    keys: { read_write: ${KEY} }
    checks: [{ slug: one, timeout: ${timeout} }, { slug: two }, { slug: three }]
`;

/** Before any node runs. */
async function applyFile(database: Database): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'tocsin-changes-'));
  const path = join(directory.path, 'tocsin.yaml');
  await writeFile(path, declaration(300));
  await using core = await openCore(configOf(database), WORLD);
  await applyProvisionFile(core.deps, path, {});
}

/**
 * Beside a node: by the command `apply`. It is a process of its own: in this one it would wait for a transaction of the node,
 * which waits for this thread.
 */
async function runApply(database: Database, timeout: number): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'tocsin-changes-'));
  await writeFile(join(directory.path, 'tocsin.yaml'), declaration(timeout));
  await using command = startCli(['apply', 'tocsin.yaml'], {
    cwd: directory.path,
    env: {
      DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url,
      SECRET_KEY,
    },
  });
  assert.equal((await command.exit()).code, 0);
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

/** The number of announcements that name the check, or say `all`. */
type Told = (check: number | 'all' | undefined) => number;

/** Hears what an app tells about a project. */
function subscribe(app: App, projectId: number): Told {
  const told: ProjectChange[] = [];
  app.changes.subscribe(projectId, (change) => told.push(change));
  return (check) =>
    told.filter(({ checkIds }) =>
      checkIds === 'all' ? check === 'all' : checkIds.some((id) => id === check),
    ).length;
}

/**
 * Resolves when all nodes are told in detail what the app changes. When a node has just connected to the others, it is
 * told that everything may have changed, and nothing besides.
 */
async function untilDetailed(app: App, nodes: readonly Told[], { ids, uuids }: Rows): Promise<void> {
  await until('changes are told in detail', async () => {
    await ping(app, uuids[2]);
    return nodes.every((told) => told(ids[2]) > 0);
  });
}

forEachEngine((engine) => {
  test('a node tells its subscribers of pings and of edits', async () => {
    await using place = await createMigratedPlace(engine);
    await applyFile(place.database);
    await using app = await startApp(configOf(place.database), WORLD);
    await using driver = await openTestDriver(place.database);
    const rows = await rowsOf(driver);
    const { projectId, ids, uuids } = rows;
    const told = subscribe(app, projectId);
    const toldOther = subscribe(app, projectId + 1);
    await untilDetailed(app, [told], rows);

    await ping(app, uuids[0]);
    await until('the ping is told', () => told(ids[0]) > 0);
    const reply = await fetch(`http://127.0.0.1:${app.port}/api/v3/checks/${uuids[1]}/pause`, {
      method: 'POST',
      headers: { 'x-api-key': KEY },
      body: '',
    });
    assert.equal(reply.status, 200);
    await until('the edit is told', () => told(ids[1]) > 0);

    assert.deepEqual([told(ids[0]), told(ids[1])], [1, 1]);
    assert.deepEqual(ids.map(toldOther), [0, 0, 0]);
  });

  test('a node tells its subscribers of what a command has changed beside it', async () => {
    await using place = await createMigratedPlace(engine);
    await applyFile(place.database);
    await using app = await startApp(configOf(place.database), WORLD);
    await using driver = await openTestDriver(place.database);
    const rows = await rowsOf(driver);
    const { projectId, ids, uuids } = rows;
    const told = subscribe(app, projectId);
    await untilDetailed(app, [told], rows);
    const wholes = told('all');

    await runApply(place.database, 600);
    // On SQLite the next write finds that somebody else has written, but not what.
    if (engine === 'sqlite') await ping(app, uuids[1]);

    await until('the command is told', () =>
      engine === 'sqlite' ? told('all') > wholes : told(ids[0]) === 1,
    );
  });

  test('what a node has kept is not shown once a command has changed it', async () => {
    await using place = await createMigratedPlace(engine);
    await applyFile(place.database);
    await using app = await startApp(configOf(place.database), WORLD);

    for (const timeout of [300, 600, 900]) {
      if (timeout > 300) await runApply(place.database, timeout);
      // On SQLite a node hears of what others wrote within a second.
      await until('the list shows it', async () => (await listOf(app))[0]?.timeout === timeout);
      const [first = assert.fail()] = await listOf(app);
      assert.equal((await checkOf(app, first.uuid)).timeout, timeout);
    }
  });
});

interface Shown {
  readonly uuid: string;
  readonly timeout: number;
  readonly n_pings: number;
}

async function shown(app: App, path: string): Promise<unknown> {
  const reply = await fetch(`http://127.0.0.1:${app.port}/api/v3/checks/${path}`, {
    headers: { 'x-api-key': KEY },
  });
  assert.equal(reply.status, 200);
  return reply.json();
}

async function listOf(app: App): Promise<Shown[]> {
  const { checks }: { checks: Shown[] } = Object(await shown(app, ''));
  return checks;
}

async function checkOf(app: App, uuid: string): Promise<Shown> {
  return Object(await shown(app, uuid));
}

describe('two nodes on postgres', () => {
  test('show what the other one has acknowledged, whatever they have kept', async () => {
    await using place = await createMigratedPlace('postgres');
    await applyFile(place.database);
    await using one = await startApp(configOf(place.database), WORLD);
    await using two = await startApp(configOf(place.database), WORLD);
    const [{ uuid } = assert.fail()] = await listOf(one);

    for (let count = 1; count <= 5; count++) {
      await ping(count % 2 === 0 ? one : two, uuid);
      for (const app of [one, two]) {
        assert.equal((await listOf(app))[0]?.n_pings, count);
        assert.equal((await checkOf(app, uuid)).n_pings, count);
      }
    }
  });

  test('tell each other what they have changed, also after their connections were cut, and hang up', async () => {
    await using place = await createMigratedPlace('postgres');
    await applyFile(place.database);
    await using driver = await openTestDriver(place.database);
    const rows = await rowsOf(driver);
    const { projectId, ids, uuids } = rows;
    {
      await using one = await startApp(configOf(place.database), WORLD);
      await using two = await startApp(configOf(place.database), WORLD);
      const nodes = [subscribe(one, projectId), subscribe(two, projectId)];
      for (const app of [one, two]) await untilDetailed(app, nodes, rows);

      await ping(one, uuids[0]);
      await ping(two, uuids[1]);
      await until('both pings are told', () => nodes.every((told) => told(ids[0]) > 0 && told(ids[1]) > 0));
      assert.deepEqual(
        nodes.map((told) => [told(ids[0]), told(ids[1])]),
        [
          [1, 1],
          [1, 1],
        ],
      );

      const wholes = nodes.map((told) => told('all'));
      const cut = await driver.all(`select pg_terminate_backend(pid) from (${CONNECTIONS}) as connections`);
      assert.equal(cut.length, 2);
      await until('both have connected again', () =>
        nodes.every((told, index) => told('all') > Number(wholes[index])),
      );
      await ping(one, uuids[0]);
      await until('the next ping is told', () => nodes.every((told) => told(ids[0]) === 2));
    }

    await until('the nodes have hung up', async () => (await driver.all(CONNECTIONS)).length === 0);
  });
});

test('a connection for notifications is closed although its server has fallen silent', async () => {
  await using place = await createMigratedPlace('postgres');
  assert.ok(place.database.engine === 'postgres');
  await using address = await startSwitch(place.database.url);
  const notices = new ChangeNotices({
    url: address.of(place.database.url),
    node: systemRandom.uuid(),
    onChanges: () => undefined,
    onLost: () => undefined,
  });
  await notices.tick();

  address.fallSilent();

  await notices[Symbol.asyncDispose]();
});
