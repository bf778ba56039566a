import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../src/cli/commands.ts';
import { DECLARATION, requestOf, settingsFor } from './cli.test-support.ts';
import { createEmptyPlace, forEachEngine } from './engines.ts';
import { listening, REPOSITORY, runCli, startCli, temporaryFolder, withoutTerminals } from './process.ts';

test('help explains the use and names every command', async () => {
  await using folder = await temporaryFolder();

  const help = await runCli(['--help'], { cwd: folder.path });

  assert.equal(help.code, 0);
  assert.equal(help.stderr, '');
  assert.match(help.stdout, /^Usage: tocsin COMMAND/m);
  for (const name of Object.keys(COMMANDS)) assert.match(help.stdout, new RegExp(`^  ${name} .*\\S$`, 'm'));
});

test('without a command there is the help, and exit code 2', async () => {
  await using folder = await temporaryFolder();

  const none = await runCli([], { cwd: folder.path });

  assert.equal(none.code, 2);
  assert.match(none.stdout, /^Usage: tocsin COMMAND/m);
});

test('a command that does not exist is refused in one sentence, with exit code 2', async () => {
  await using folder = await temporaryFolder();

  const unknown = await runCli(['start'], { cwd: folder.path });

  assert.equal(unknown.code, 2);
  assert.equal(unknown.stdout, '');
  assert.equal(unknown.stderr, 'there is no command "start"\nTry: tocsin --help\n');
});

test('version tells the version of the package', async () => {
  await using folder = await temporaryFolder();
  const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));

  for (const spelling of ['version', '--version']) {
    const told = await runCli([spelling], { cwd: folder.path });

    assert.equal(told.code, 0);
    assert.equal(told.stdout, `tocsin ${version} (node ${process.versions.node})\n`);
  }
});

test('every fault of the environment is named in one message, and nothing is started', async () => {
  await using folder = await temporaryFolder();
  const env = { PORT: 'abc', SITE_ROOT: 'nope', SECRET_KEY: 'short' };

  const refused = await runCli(['serve'], { cwd: folder.path, env });

  assert.equal(refused.code, 1);
  assert.equal(refused.stdout, '');
  assert.match(refused.stderr, /^The environment has faults:\n/);
  assert.match(refused.stderr, /^PORT="abc" /m);
  assert.match(refused.stderr, /^SITE_ROOT="nope" /m);
  assert.match(refused.stderr, /^SECRET_KEY \(value hidden\) /m);
  assert.doesNotMatch(refused.stderr, /short/);
  assert.deepEqual(await readdir(folder.path), []);
});

test('the service does not start if commands cannot run as the user whom the operator has chosen', async () => {
  await using folder = await temporaryFolder();
  const env = { SHELL_ENABLED: 'True', SHELL_USER: 'nobody-of-this-name' };

  const refused = await runCli(['serve'], { cwd: folder.path, env });

  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^SHELL_USER=nobody-of-this-name: there is no such user on this machine\.$/m);
});

test('the very first start on a terminal prints three keys, requests and a Prometheus address that work at once', {
  skip: withoutTerminals,
}, async () => {
  await using folder = await temporaryFolder();
  const env = { SITE_ROOT: 'http://tocsin.example.org/below' };
  await using service = startCli(['serve'], { cwd: folder.path, env, hasTerminal: true });
  const url = `${await listening(service)}/below`;

  const [, readOnly = ''] = await service.output(/read-only key +(\S+)\n/);
  const [, pingKey = ''] = await service.output(/ping key +(\S+)\n/);
  const [lines] = await service.output(/(^ +curl .*\n)+/m);
  const [list, create, ping, ...others] = lines.trim().split(/\n +/);

  assert.deepEqual(others, []);
  assert.match(readOnly, /^hcr_\w{28}$/);
  assert.match(pingKey, /^\w{22}$/);
  const empty = await requestOf(list ?? '');
  assert.equal(empty.status, 200);
  assert.deepEqual(await empty.json(), { checks: [] });
  assert.equal((await requestOf(create ?? '')).status, 201);
  assert.equal(ping, `curl ${url}/ping/${pingKey}/nightly-backup`);
  assert.equal(await (await fetch(`${url}/ping/${pingKey}/nightly-backup`)).text(), 'OK');
  const seen = await fetch(`${url}/api/v3/checks/`, { headers: { 'X-Api-Key': readOnly } });
  assert.match(await seen.text(), /Nightly backup/);
  const [, path = ''] = await service.output(
    / http:\/\/tocsin\.example\.org\/below(\/projects\/\S+\/metrics\/)\n/,
  );
  const metrics = await fetch(url + path, { headers: { authorization: `Bearer ${readOnly}` } });
  assert.match(await metrics.text(), /^hc_checks_total 1$/m);
});

test('apply of a wrong file tells file, line and reason, and applies nothing', async () => {
  await using folder = await temporaryFolder();
  const wrong = `${DECLARATION}      - slug: nightly\n        timeout: soon\n`;
  await writeFile(join(folder.path, 'wrong.yaml'), wrong);
  await writeFile(join(folder.path, 'right.yaml'), DECLARATION);

  const refused = await runCli(['apply', 'wrong.yaml'], { cwd: folder.path });
  const applied = await runCli(['apply', 'right.yaml'], { cwd: folder.path });

  assert.equal(refused.code, 1);
  assert.equal(refused.stdout, '');
  assert.match(refused.stderr, /^wrong\.yaml:14: .*timeout is not a number\n$/);
  assert.match(applied.stdout, /^created project Alpha$/m);
});

forEachEngine((engine) => {
  test('migrate tells what it applied, and then that there is nothing to do', async () => {
    await using folder = await temporaryFolder();
    await using place = await createEmptyPlace(engine);
    const options = { cwd: folder.path, env: settingsFor(place) };

    const first = await runCli(['migrate'], options);
    const second = await runCli(['migrate'], options);

    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^Applied 0036_baseline(, \d{4}_\w+)*\.\nThe database was empty: \S.*\.\n$/);
    assert.equal(second.code, 0, second.stderr);
    assert.equal(second.stdout, 'The database is up to date.\n');
  });

  test('apply tells what it changed, then that there is nothing to change, and the Prometheus addresses, but no key', async () => {
    await using folder = await temporaryFolder();
    await using place = await createEmptyPlace(engine);
    const env = { ...settingsFor(place), SITE_ROOT: 'https://tocsin.example.org' };
    const declaration = `${DECLARATION}  - { name: Beta, owner: ops@example.org }\n`;
    const file = join(folder.path, 'declaration.yaml');
    const apply = (more = {}) =>
      runCli(['apply', 'declaration.yaml'], { cwd: folder.path, env: { ...env, ...more } });

    await writeFile(file, declaration);
    const created = await apply();
    const same = await apply();
    const silent = await apply({ PROMETHEUS_ENABLED: 'False' });
    await writeFile(file, declaration.replace('3600', '7200'));
    const changed = await apply();

    assert.equal(created.code, 0, created.stderr);
    const [made = '', told = ''] = created.stdout.split(/\n\n/);
    assert.deepEqual(made.split('\n'), [
      'created account ops@example.org',
      'created project Alpha',
      'created check Alpha/heartbeat',
      'created project Beta',
    ]);
    assert.match(
      told,
      /^Prometheus addresses, .*read-only key.*:\n {2}Alpha {2}https:\/\/tocsin\.example\.org\/projects\/[0-9a-f-]{36}\/metrics\/\n {2}Beta {3}https:\S+\n$/,
    );
    assert.equal(same.code, 0, same.stderr);
    assert.equal(same.stdout, `Nothing to change.\n\n${told}`);
    assert.equal(silent.stdout, 'Nothing to change.\n');
    assert.match(changed.stdout, /^updated check Alpha\/heartbeat: timeout/);
    assert.doesNotMatch(created.stdout + created.stderr, /hcw_|hcr_/);
  });
});
