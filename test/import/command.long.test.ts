import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { importCommand } from '../../src/cli/import.ts';
import { verify } from '../../src/cli/verify.ts';
import { KumaFixture } from '../../src/import/kuma/fixture.test-support.ts';
import { runHere as run, settingsFor } from '../cli.test-support.ts';
import { createEmptyPlace, forEachEngine, openTestDriver, type TestPlace } from '../engines.ts';
import { listening, REPOSITORY, runCli, startCli, temporaryFolder } from '../process.ts';
import { fixtureFacts, healthchecksFixture } from './healthchecks-fixture.ts';

const FIXTURES = join(REPOSITORY, 'test/fixtures');

async function fixture(
  folder: string,
  name: 'healthchecks/database.sqlite' | 'kuma/kuma-2.db',
): Promise<string> {
  const path = join(folder, name.replace('/', '-'));
  await writeFile(path, gunzipSync(await readFile(join(FIXTURES, `${name}.gz`))));
  return path;
}

/** What nobody may read in a report: passwords, keys, tokens and addresses of webhooks. */
async function secretsOf(facts: string): Promise<string[]> {
  const found = new Set<string>();
  const visit = (value: unknown, name: string): void => {
    if (typeof value === 'object' && value !== null)
      for (const [key, part] of Object.entries(value)) visit(part, Array.isArray(value) ? name : key);
    else if (typeof value === 'string' && SECRET.test(name) && value.length >= 8) found.add(value);
  };
  visit(JSON.parse(await readFile(join(FIXTURES, facts), 'utf8')), '');
  return [...found];
}

const SECRET = /^(password|secret_key|totp|key|ping_key|url|token|api_key|apiKey|service_key|webhook.*)$/;

forEachEngine((engine) => {
  test('a dry run reports and leaves the source alone, and an import can be repeated', async () => {
    await using place = await createEmptyPlace(engine);
    await using folder = await temporaryFolder();
    const env = settingsFor(place);
    const [reportPath, envPath] = [join(folder.path, 'report.json'), join(folder.path, 'kuma.env')];
    const hc = await fixture(folder.path, 'healthchecks/database.sqlite');
    const kuma = await fixture(folder.path, 'kuma/kuma-2.db');
    const before = [await readFile(hc), (await stat(hc)).mtimeMs];
    const fromHealthchecks = ['healthchecks', '--database', hc];
    const fromKuma = ['kuma', kuma, '--owner', 'kuma@example.org', '--env', envPath];

    const foreseen = await run(importCommand, [...fromHealthchecks, '--report', reportPath], env);
    assert.equal(foreseen.stderr, '');
    assert.equal(foreseen.code, 0);
    assert.match(foreseen.stdout, /^Would be carried: accounts 4, .*, checks 31, flips 49, pings 300$/m);
    assert.match(
      foreseen.stdout,
      /^ {2}pings 30: they are older than those that are kept of each check; --history /m,
    );
    assert.match(foreseen.stdout, /^Nothing was written\. --apply does it\.$/m);
    assert.deepEqual([await readFile(hc), (await stat(hc)).mtimeMs], before);
    const report = await readFile(reportPath, 'utf8');
    assert.equal(JSON.parse(report).applied, false);
    assert.equal((await stat(reportPath)).mode & 0o777, 0o600);

    const done = await run(importCommand, [...fromHealthchecks, '--apply'], env);
    assert.match(done.stdout, /^Carried: accounts 4, .*, pings 300$/m);
    const again = await run(importCommand, [...fromHealthchecks, '--apply', '--json'], env);
    const { carried, changed } = JSON.parse(again.stdout) as { carried: object; changed: unknown[] };
    assert.deepEqual(new Set(Object.values(carried)), new Set([0]));
    assert.deepEqual(changed, []);

    const moved = await run(importCommand, [...fromKuma, '--apply'], env);
    assert.equal(moved.code, 0, moved.stderr);
    assert.match(moved.stdout, /chooses the password of kuma@example\.org/);
    assert.match(await readFile(envPath, 'utf8'), /^TELEGRAM_TOKEN="/m);
    const refused = await run(importCommand, [...fromKuma, '--apply'], env);
    assert.deepEqual([refused.code, refused.stdout], [4, '']);
    assert.match(refused.stderr, /kuma\.env exists, and is not replaced/);
    const verified = await run(verify, [], env);
    assert.equal(verified.code, 0, verified.stdout);

    const told = [foreseen, done, again, moved, refused].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const secrets = [
      ...(await secretsOf('healthchecks/facts.json')),
      ...(await secretsOf('kuma/kuma-2.json')),
    ];
    assert.ok(secrets.length > 30);
    for (const secret of secrets)
      assert.ok(![...told, report].some((text) => text.includes(secret)), `${secret} is told`);
  });

  test('of each program a dry run and a second import leave every row as it was', async () => {
    await using place = await createEmptyPlace(engine);
    await using folder = await temporaryFolder();
    const env = settingsFor(place);
    using older = new KumaFixture('1.23');
    using newer = new KumaFixture('2');
    const sources = [
      ['healthchecks', '--database', await fixture(folder.path, 'healthchecks/database.sqlite')],
      ['kuma', older.path, '--owner', 'one@example.org'],
      ['kuma', newer.path, '--owner', 'two@example.org'],
    ];
    const bring = async (args: readonly string[]) => {
      const { code, stdout, stderr } = await run(importCommand, args, env);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^(Healthchecks|Uptime Kuma) .*, newest ping .*, \d+ (hours|days) ago$/m);
      return stdout;
    };
    // The first command makes the schema.
    await bring(sources[0] ?? []);

    for (const args of sources) {
      const empty = await digestOf(place);
      assert.match(await bring(args), /^Would be carried: .*checks \d+/m);
      assert.equal(await digestOf(place), empty, `a dry run of ${args[0]}`);
      await bring([...args, '--apply']);
      const filled = await digestOf(place);
      assert.notEqual(filled, empty);
      assert.match(await bring([...args, '--apply']), /^Nothing was new\.$/m);
      assert.equal(await digestOf(place), filled, `a second import of ${args[0]}`);
    }
  });

  test(
    engine === 'sqlite'
      ? 'while the service runs, an import is refused with the reason'
      : 'while the service runs, an import works, and the service knows the checks',
    async () => {
      await using place = await createEmptyPlace(engine);
      await using folder = await temporaryFolder();
      const options = { cwd: folder.path, env: settingsFor(place) };
      const hc = await fixture(folder.path, 'healthchecks/database.sqlite');
      await using service = startCli(['serve'], options);
      const url = await listening(service);
      const { projects, checks } = await fixtureFacts();
      const [, , beta = assert.fail()] = projects;
      const { badge_key: badge } = checks[0] ?? assert.fail();
      // What is not there is asked for before, too, so that the service may have noted that.
      const seen = async () => {
        const headers = { 'X-Api-Key': beta.keys.read_write?.key ?? '' };
        const replies = [
          await fetch(`${url}/ping/314a6b43-e3b3-413d-ac55-a65dad65d284`),
          await fetch(`${url}/api/v3/checks/`, { headers }),
          await fetch(`${url}/b/2/${badge}.svg`),
        ];
        return replies.map(({ status }) => status);
      };
      assert.deepEqual(await seen(), [404, 401, 404]);

      const done = await runCli(['import', 'healthchecks', '--database', hc, '--apply'], options);

      if (engine === 'sqlite') {
        assert.equal(done.code, 4);
        assert.match(done.stderr, /another Tocsin is running on the database/);
        assert.deepEqual(await seen(), [404, 401, 404]);
      } else {
        assert.equal(done.code, 0, done.stderr);
        assert.deepEqual(await seen(), [200, 200, 200], 'from the next request on');
      }
    },
  );
});

test('an API key of the old server proves that its secret is right', async () => {
  await using place = await createEmptyPlace('sqlite');
  await using folder = await temporaryFolder();
  const hc = await fixture(folder.path, 'healthchecks/database.sqlite');
  const prove = async (secret: string) => {
    const path = join(folder.path, 'secret');
    await writeFile(path, `${secret}\n`);
    const args = ['healthchecks', '--database', hc, '--secret-key-file', path, '--prove'];
    return (await run(importCommand, args, settingsFor(place), 'hcw_9NIYbFSttgyyggTzl2HkcbhktIHf\n')).stderr;
  };

  assert.equal(await prove('fixture-secret-0123456789-abcdef'), 'The API key opens the project Alpha.\n');
  assert.equal(await prove('another-secret-0123456789-abcdef'), 'The API key opens no project.\n');
});

test('a source that cannot be read ends with 5, and wrong use with 2', async () => {
  await using place = await createEmptyPlace('sqlite');
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const kuma = await fixture(folder.path, 'kuma/kuma-2.db');
  const hc = await fixture(folder.path, 'healthchecks/database.sqlite');
  await writeFile(at('empty'), '');
  await mkdir(at('folder'));
  const unreadable = [
    ...[at('missing'), at('empty'), at('folder'), kuma].map((path) => ['healthchecks', '--database', path]),
    ...[at('missing'), at('empty'), at('folder'), hc].map((path) => [
      'kuma',
      path,
      '--owner',
      'a@example.org',
    ]),
  ];

  for (const args of unreadable) {
    const { code, stdout, stderr } = await run(importCommand, args, settingsFor(place));
    assert.deepEqual([code, stdout], [5, ''], `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, /^.*\S.*\nNothing was written\.\n$/);
  }
  const wrong = [['crontab'], ['healthchecks'], ['kuma'], ['kuma', kuma, '--owner', 'nobody']];
  for (const args of wrong)
    assert.equal((await run(importCommand, args, settingsFor(place))).code, 2, args.join(' '));
});

test('a PostgreSQL database with a table that the user may not read ends with 5 before anything is written', async () => {
  await using place = await createEmptyPlace('sqlite');
  await using fixture = await healthchecksFixture('PostgreSQL');
  const url = new URL(fixture.place);
  const role = `reader_${url.pathname.slice(1)}`;
  const client = new Client({ connectionString: fixture.place });
  await client.connect();
  await client.query(
    `create role ${role} login password 'a-secret-password';
     grant select on all tables in schema public to ${role}; revoke select on api_ping from ${role}`,
  );
  try {
    [url.username, url.password] = [role, 'a-secret-password'];
    const args = ['healthchecks', '--database', url.href, '--apply'];
    const { code, stdout, stderr } = await run(importCommand, args, settingsFor(place));

    assert.deepEqual([code, stdout], [5, ''], stderr);
    assert.match(stderr, /there is no right to read it \(.*api_ping\)\nNothing was written\.\n$/);
    assert.ok(!stderr.includes('a-secret-password'));
    await client.query(`grant select on api_ping to ${role}`);
    assert.equal((await run(importCommand, args, settingsFor(place))).code, 0);
  } finally {
    await client.query(`drop owned by ${role}; drop role ${role}`);
    await client.end();
  }
});

test('a source that breaks off in its pings ends with 5, and tells that all else was written', async () => {
  await using place = await createEmptyPlace('sqlite');
  await using fixture = await healthchecksFixture('JSON lines');
  const whole = await readFile(fixture.place, 'utf8');
  await writeFile(fixture.place, whole.replace(/("api\.ping",\s*"pk": 420),/, '$1 '));
  const args = ['healthchecks', '--database', fixture.place, '--apply'];

  const broken = await run(importCommand, args, settingsFor(place));
  await writeFile(fixture.place, whole);
  const again = await run(importCommand, args, settingsFor(place));

  assert.deepEqual([broken.code, broken.stdout], [5, ''], broken.stderr);
  assert.match(
    broken.stderr,
    /\nAll but the rest of the pings was written\. The next import goes on with them\.\n$/,
  );
  assert.match(again.stdout, /^Carried: pings 300$/m);
});

/** A digest over all rows of all tables. */
async function digestOf({ database }: TestPlace): Promise<string> {
  await using driver = await openTestDriver(database);
  const tables = await driver.all<{ name: string }>(
    database.engine === 'sqlite'
      ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`
      : `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  );
  const digest = createHash('sha256');
  for (const { name } of tables) {
    const rows = (await driver.all<object>(`select * from ${name}`)).map((row) => JSON.stringify(row));
    digest.update(JSON.stringify([name, rows.toSorted()]));
  }
  return digest.digest('hex');
}
