import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { changeLines } from '../src/cli/differences.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { createVault } from '../src/lib/vault.ts';
import { parseProvisionFile } from '../src/provision/parse.ts';
import type { Deps } from '../src/services/core/deps.ts';
import { provision } from '../src/services/provisioning/provision.ts';
import type { Driver } from '../src/storage/driver.ts';
import type { Database } from '../src/storage/open.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { createMigratedPlace, forEachEngine, openTestDriver } from './engines.ts';
import { NO_READS } from './node-parts.ts';
import { someoneWaits } from './postgres-locks.ts';
import { listening, type ProcessOptions, runCli, startCli, temporaryFolder } from './process.ts';
import { until } from './waiting.ts';

const ROUNDS = 5;
const NODES = 3;

/** Each round declares more than the one before, and changes what is there. */
function file(round: number): string {
  const numbers = Array.from({ length: round + 1 }, (_, n) => n);
  return `accounts:
  - { email: ops0@example.org, password: correct horse ${round} }
${numbers
  .slice(1)
  .map((n) => `  - email: ops${n}@example.org\n`)
  .join('')}
projects:
${numbers
  .map(
    (n) => `  - name: Alpha
    owner: ops${n}@example.org
    members: [ops0@example.org]
    keys: { read_write: hcw_aaaaaaaaaaaaaaaaaaaaaaaaaa${n}${round} }
    integrations:
      - { kind: email, name: Mail, email: ops@example.org }
      - { kind: webhook, name: Sink, down: { url: "http://127.0.0.1:9/${round}" } }
    checks:
      - { slug: nightly, timeout: ${60 + round}, integrations: "*" }
      - { slug: hourly, integrations: Sink }
`,
  )
  .join('')}`;
}

/** The rows of everything that the files declare. */
async function contents(database: Database) {
  await using driver = await openTestDriver(database);
  const count = async (sql: string) =>
    (await driver.all<{ n: number }>(`select count(*) as n from ${sql}`))[0]?.n;
  return {
    accounts: await count('accounts'),
    projects: await count('projects'),
    keys: await count('api_keys'),
    channels: await count('channels'),
    checks: await count('checks'),
    links: await count('check_channels'),
    slots: (await driver.all<{ n: number }>('select cast(sum(check_count) as bigint) as n from accounts'))[0]
      ?.n,
  };
}

function expected(round: number) {
  const projects = round + 1;
  const checks = 2 * projects;
  return {
    accounts: projects,
    projects,
    keys: projects,
    channels: checks,
    checks,
    links: 3 * projects,
    slots: checks,
  };
}

function nodeOn(driver: Driver): Deps {
  return {
    store: createSqlStore(driver),
    reads: NO_READS,
    clock: systemClock,
    random: systemRandom,
    vault: createVault('a secret for tests only', systemRandom),
    objects: null,
    defaultLimits: { checks: 20, pings: 100 },
  };
}

describe('several nodes that start together with a changed file', () => {
  test('make everything in it once, and one of them says so', async () => {
    await using place = await createMigratedPlace('postgres');
    await using opened = new AsyncDisposableStack();
    const nodes: Deps[] = [];
    for (let n = 0; n < NODES; n++) nodes.push(nodeOn(opened.use(await openTestDriver(place.database))));

    for (let round = 0; round < ROUNDS; round++) {
      const declaration = parseProvisionFile('tocsin.yaml', file(round));

      const changes = await Promise.all(nodes.map((deps) => provision(deps, declaration)));

      assert.deepEqual(await contents(place.database), expected(round));
      assert.equal(
        changes.filter((own) => own.length > 0).length,
        1,
        changes.flatMap(changeLines).join('\n'),
      );
    }
  });
});

describe('a node that applies a file while others receive pings', () => {
  /** The checks with any timeout, the projects in one order or the other. */
  const declare = (timeout: number, names: readonly string[]) =>
    parseProvisionFile(
      'tocsin.yaml',
      `accounts: [{ email: ops@example.org }]
projects:
${names
  .map(
    (name) => `  - name: ${name}
    owner: ops@example.org
    checks: [{ slug: two, timeout: ${timeout} }, { slug: one, timeout: ${timeout} }]
`,
  )
  .join('')}`,
    );
  const cases: [string, number, string][] = [
    ['that it changes', 120, 'select 1'],
    ['that no file has declared yet', 60, 'update checks set declared_as = null'],
  ];

  for (const [which, timeout, preparation] of cases) {
    test(`holds the checks ${which} in the order of their ids, as pings do`, async () => {
      await using place = await createMigratedPlace('postgres');
      const patient = { ...place.database, statementTimeoutSeconds: 600 };
      await using driver = await openTestDriver(patient);
      const node = nodeOn(driver);
      await provision(node, declare(60, ['Alpha', 'Beta']));
      await driver.transaction((tx) => tx.script(preparation));
      const ids = (await driver.all<{ id: number }>('select id from checks order by id')).map(({ id }) => id);

      const { provisioning, free } = await node.store.transaction(async (tx) => {
        await tx.checks.lock(ids[0] ?? 0);
        const provisioning = provision(node, declare(timeout, ['Beta', 'Alpha']));
        await until('the node waits for the check', () => someoneWaits(driver));
        const others = 'select id from checks where id <> $1 order by id for no key update skip locked';
        return { provisioning, free: await driver.all(others, [ids[0] ?? 0]) };
      });
      await provisioning;

      assert.deepEqual(
        free,
        ids.slice(1).map((id) => ({ id })),
      );
      assert.deepEqual(
        await driver.all('select id, timeout_seconds, declared_as from checks where slug = $1 order by id', [
          'one',
        ]),
        [ids[1], ids[3]].map((id) => ({ id, timeout_seconds: timeout, declared_as: 'one' })),
      );
    });
  }

  test('does not touch the checks that stay as they are', async () => {
    await using place = await createMigratedPlace('postgres');
    await using driver = await openTestDriver(place.database);
    const node = nodeOn(driver);
    await provision(node, declare(60, ['Alpha', 'Beta']));
    const versions = () =>
      driver.all('select id, cast(xmin as text) as version, cast(xmax as text) as holder from checks');
    const before = await versions();

    assert.deepEqual(await provision(node, declare(60, ['Beta', 'Alpha'])), []);

    assert.deepEqual(await versions(), before);
  });
});

forEachEngine((engine) => {
  const settingsFor = (database: Database) => ({
    DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url,
    SECRET_KEY: 'a secret for tests only, of some length',
  });

  test('of several commands that apply a file at the same time one makes its entries, and the others find them', async () => {
    await using folder = await temporaryFolder();
    await using place = await createMigratedPlace(engine);
    const options: ProcessOptions = { cwd: folder.path, env: settingsFor(place.database) };

    for (const round of [0, 1]) {
      await writeFile(join(folder.path, 'tocsin.yaml'), file(round));
      const exits = await Promise.all(
        Array.from({ length: NODES }, () => runCli(['apply', 'tocsin.yaml'], options)),
      );

      assert.deepEqual(
        exits.map(({ code, stderr }) => [code, stderr]),
        exits.map(() => [0, '']),
      );
      assert.equal(exits.filter(({ stdout }) => stdout.startsWith('Nothing to change.\n')).length, NODES - 1);
      assert.deepEqual(await contents(place.database), expected(round));
    }
  });
});

test('two services that start together with one file make its entries once, and their next start changes nothing', async () => {
  await using folder = await temporaryFolder();
  await using place = await createMigratedPlace('postgres');
  assert.ok(place.database.engine === 'postgres');
  await writeFile(join(folder.path, 'tocsin.yaml'), file(1));
  const env = {
    DATABASE_URL: place.database.url,
    SECRET_KEY: 'a secret for tests only, of some length',
    PROVISION_FILE: 'tocsin.yaml',
  };
  const startBoth = async () => {
    await using services = new AsyncDisposableStack();
    const started = [0, 1].map(() => services.use(startCli(['serve'], { cwd: folder.path, env })));
    await Promise.all(started.map(listening));
    for (const service of started) service.signal('SIGTERM');
    return Promise.all(started.map(async (service) => (await service.exit()).stdout));
  };

  const first = await startBoth();
  const second = await startBoth();

  assert.equal(first.filter((text) => text.includes('created project Alpha')).length, 1);
  for (const text of second) assert.doesNotMatch(text, /created|updated/);
  assert.deepEqual(await contents(place.database), expected(1));
});
