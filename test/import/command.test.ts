import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { importCommand } from '../../src/cli/import.ts';
import { verify } from '../../src/cli/verify.ts';
import { runHere as run, settingsFor } from '../cli.test-support.ts';
import { createEmptyPlace, forEachEngine } from '../engines.ts';
import { listening, REPOSITORY, runCli, startCli, temporaryFolder } from '../process.ts';

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

      const done = await runCli(['import', 'healthchecks', '--database', hc, '--apply'], options);

      const reply = await fetch(`${url}/ping/314a6b43-e3b3-413d-ac55-a65dad65d284`);
      if (engine === 'sqlite') {
        assert.equal(done.code, 4);
        assert.match(done.stderr, /another Tocsin is running on the database/);
        assert.equal(reply.status, 404);
      } else {
        assert.equal(done.code, 0, done.stderr);
        assert.equal(reply.status, 200);
        assert.equal(await reply.text(), 'OK');
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
