import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { applyCommand } from '../src/cli/apply.ts';
import { applyHere } from '../src/cli/apply-here.ts';
import type { Command } from '../src/cli/command.ts';
import { exportCommand as commandOf } from '../src/cli/export.ts';
import { exportOwn } from '../src/cli/export-own.ts';
import { importCommand } from '../src/cli/import.ts';
import { everyKind } from '../src/integrations/every-kind.test-support.ts';
import { FILE_KEYS, parseProvisionFiles, settingKey } from '../src/provision/parse.ts';
import { runHere, settingsFor } from './cli.test-support.ts';
import { createMigratedPlace, forEachEngine, openTestDriver } from './engines.ts';
import { healthchecksFixture } from './import/healthchecks-fixture.ts';
import { temporaryFolder } from './process.ts';

const apply = applyCommand(async () => applyHere);
const exportCommand = commandOf(async () => exportOwn);

const PASSWORD = 'correct horse battery';
const RW = `hcw_${'a'.repeat(28)}`;
const WALL = `hcd_${'b'.repeat(28)}`;
const TOKEN = `hct_${'c'.repeat(28)}`;
const PING_KEY = 'pingkeypingkeypingkey1';
const ALIAS = 'alias-of-kuma-123';
const CRONITOR = 'key-of-cronitor-123';
/** These commands run by the clock of the machine. */
const hourFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const IN_AN_HOUR = hourFromNow(1);
const IN_TWO_HOURS = hourFromNow(2);

/** Looks like a path, a variable and quotes, and is none of them. */
const ODD = `file:/etc/\${HOME} it's "odd" \\n $\${X}`;

/** Keys of files that an export does not write: nobody can read their values, or they are older names of others. */
const UNREADABLE = new Set(['password', 'secret', 'last_ping', 'down', 'subject', 'subject_fail']);

/** Every kind of entry, with every field. Settings of integrations hold texts that look like variables, too. */
function everything() {
  const integrations = everyKind()
    .filter(({ kind }) => kind !== 'group' && kind !== 'shell')
    .map(({ kind, settings }) => {
      const set = Object.entries(settings).filter(([, value]) => value !== null);
      const given = Object.fromEntries(set.map(([setting, value]) => [settingKey(setting), value]));
      return {
        kind,
        name: `The ${kind}`,
        ...(kind === 'email' && { verified: true }),
        ...given,
        ...(kind === 'mqtt' && { password: `\${ODD}` }),
      };
    });
  return {
    source: 'infra',
    accounts: [
      {
        ...{ email: 'alice@example.org', name: 'Alice', admin: true, theme: 'dark', password: PASSWORD },
        ...{ limits: { checks: 50, pings: 70 }, tz: 'Europe/Riga', reports: 'weekly', reminders: 'hourly' },
        ...{ language: 'de-AT', date_format: 'iso', clock: '12h' },
      },
      { email: 'bob@example.org' },
    ],
    projects: [
      {
        ...{ uuid: '9e05ca7a-26f1-41a9-b683-13f7adc8cdd8', name: 'Alpha: #1', owner: 'alice@example.org' },
        members: [{ email: 'bob@example.org', role: 'read_only' }],
        keys: { ping: PING_KEY },
        api_keys: [{ name: 'Terraform', kind: 'read_write', secret: RW, expires: '2037-06-01' }],
        integrations: [
          ...integrations,
          { kind: 'group', name: 'All', channels: ['The slack', 'The email'] },
          {
            kind: 'ntfy',
            name: 'Twin',
            url: 'https://ntfy.example.org',
            topic: 'one',
            priority_down: 3,
            priority_up: 3,
          },
        ],
        checks: [
          {
            ...{
              slug: 'nightly',
              name: 'Nightly $${X} $NAME',
              tags: 'backup db',
              desc: 'Line one\nline: two #',
              schedule: '0 3 * * *',
            },
            ...{
              tz: 'Europe/Riga',
              grace: 600,
              methods: 'POST',
              manual_resume: true,
              start_kw: 'a',
              success_kw: 'b',
            },
            ...{ failure_kw: 'c', filter_subject: true, filter_body: true, filter_http_body: true },
            ...{ filter_default_fail: true, paused: true, integrations: ['The slack', 'All'] },
            run_rules: { begin_within: 300, exit_map: '24=warn', numbers: [{ name: 'rows', min: 1 }] },
            parents: ['33333333-3333-4333-8333-333333333333'],
            done: ['The slack'],
            aliases: [{ dialect: 'kuma', token: ALIAS }],
          },
          { uuid: '11111111-1111-4111-8111-111111111111', slug: 'twin', timeout: 300 },
          { uuid: '22222222-2222-4222-8222-222222222222', slug: 'twin', schedule: '*-*-* 03:00' },
          { uuid: '33333333-3333-4333-8333-333333333333' },
        ],
        job_declarations: 'follow',
        dialects: { kuma: true, cronitor: { create: true, keys: [CRONITOR] } },
        status_pages: [
          {
            ...{
              slug: 'public',
              title: 'Our jobs',
              about: 'All of them',
              tz: 'Europe/Riga',
              published: true,
            },
            components: [
              { name: 'Backups', group: 'Data', tag: 'backup' },
              { name: 'Nightly', check: 'nightly' },
              { name: 'Twin', check: '11111111-1111-4111-8111-111111111111' },
            ],
          },
        ],
        walls: [{ name: 'Kitchen', token: WALL }],
        views: [{ name: 'Broken', owner: 'alice@example.org', query: 'status=down', shared: true }],
        calendars: [
          {
            name: 'working-hours',
            schedule: 'Mon..Fri 08:00',
            tz: 'Europe/Riga',
            duration: 36_000,
            except: ['2026-12-24'],
          },
        ],
        policies: [
          {
            name: 'Night',
            hours: 'working-hours',
            always_tags: 'important',
            bad_runs: 2,
            counts: 'failed',
            each_failure: true,
            good_runs: 2,
            ack_lasts: 3600,
            wait: 900,
            again: 3600,
            again_most: 5,
            // biome-ignore lint/suspicious/noThenProperty: it is the name in files, and its value is no function.
            then: [{ after: 1800, tell: ['The slack'] }],
          },
        ],
        policy: 'Night',
        tags: [{ tag: 'db', policy: 'patient' }],
        quiet_times: [
          {
            ...{ name: 'sunday', reason: 'the machines are off', tags: 'backup db', checks: ['nightly'] },
            ...{ schedule: 'Sun 01:00', tz: 'Europe/Riga', duration: 14_400 },
          },
          { name: 'move', from: IN_AN_HOUR, until: IN_TWO_HOURS },
        ],
      },
      { name: 'Beta', owner: 'bob@example.org', uuid: '44444444-4444-4444-8444-444444444444' },
      { name: 'Beta', owner: 'bob@example.org', uuid: '55555555-5555-4555-8555-555555555555' },
    ],
    tokens: [
      {
        account: 'alice@example.org',
        name: 'CI',
        scopes: ['checks.edit'],
        projects: ['Alpha: #1'],
        secret: TOKEN,
      },
    ],
  };
}

const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(Object.entries(parseEnv(text)).map(([name, value = '']) => [name, value]));

/** Entries whose secrets nobody can read again. */
const withoutUnreadable = (text: string) => text.replaceAll(/^ {4}(api_keys|walls):\n(?: {5,}.*\n)*/gm, '');

forEachEngine((engine) => {
  async function installation() {
    await using opened = new AsyncDisposableStack();
    const folder = opened.use(await temporaryFolder());
    const place = opened.use(await createMigratedPlace(engine));
    const env = { ...settingsFor(place), SECRET_KEY: 'a secret for tests only, of some length' };
    const parts = opened.move();
    return {
      folder: folder.path,
      database: place.database,
      at: (name: string) => join(folder.path, name),
      run: (command: Command, args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
        runHere(command, args, { ...variables, ...env }),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  }

  type Place = Awaited<ReturnType<typeof installation>>;

  /** Exports the installation, and applies the files with their secrets to another, which is exported then. */
  async function moved(here: Place, there: Place) {
    const exported = await here.run(exportCommand, [
      ...['--output', here.at('files'), '--secrets-to', here.at('secrets.env')],
    ]);
    assert.equal(exported.code, 0, exported.stderr);
    const files = await contents(here.at('files'));
    const secrets = await readFile(here.at('secrets.env'), 'utf8');
    await mkdir(there.at('files'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(there.at('files'), name), text);
    const applied = await there.run(apply, [there.at('files')], variablesIn(secrets));
    assert.equal(applied.code, 0, applied.stderr);
    const again = await there.run(exportCommand, [
      ...['--output', there.at('again'), '--secrets-to', there.at('secrets.env')],
    ]);
    assert.equal(again.code, 0, again.stderr);
    assert.equal(await readFile(there.at('secrets.env'), 'utf8'), secrets);
    const back = await here.run(apply, ['--dry-run', here.at('files')], variablesIn(secrets));
    return { files, secrets, again: await contents(there.at('again')), back, said: exported.stderr };
  }

  /** Hashes, digests and sealed texts of the installation. */
  async function sealedTexts({ database }: Place): Promise<string[]> {
    await using driver = await openTestDriver(database);
    const rows = await driver.all<{ text: string | null }>(
      `select password_hash as text from accounts
        union all select ping_key_digest from projects union all select ping_key_sealed from projects
        union all select digest from api_keys union all select sealed_settings from channels
        union all select sealed_secret from authenticators`,
    );
    return rows.flatMap(({ text }) => text ?? []);
  }

  const contents = async (folder: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(
        (await readdir(folder))
          .toSorted()
          .map(async (name): Promise<[string, string]> => [name, await readFile(join(folder, name), 'utf8')]),
      ),
    );

  test('an export applied here changes nothing, and applied elsewhere with its secrets it is exported alike', async () => {
    await using here = await installation();
    await using there = await installation();
    await writeFile(here.at('all.yaml'), JSON.stringify(everything()));
    const applied = await here.run(apply, [here.at('all.yaml')], { ODD });
    assert.equal(applied.code, 0, applied.stderr);

    const { files, secrets, again, back } = await moved(here, there);
    assert.deepEqual(Object.keys(files), [
      'accounts.yaml',
      'alpha-1.yaml',
      'beta-44444444.yaml',
      'beta-55555555.yaml',
      'tokens.yaml',
    ]);
    assert.equal((await stat(here.at('secrets.env'))).mode & 0o777, 0o600);
    assert.ok(Object.values(variablesIn(secrets)).includes(ODD));
    const whole = Object.values(files).join('');
    for (const secret of [PASSWORD, RW, WALL, TOKEN, PING_KEY, ALIAS, CRONITOR])
      assert.ok(!whole.includes(secret), secret);
    for (const secret of [PASSWORD, RW, WALL, TOKEN]) assert.ok(!secrets.includes(secret), secret);
    for (const secret of Object.values(variablesIn(secrets)))
      assert.ok(!whole.includes(secret) || secret.length < 6, secret);

    // A key that is added to files has to be exported.
    for (const key of Object.values(FILE_KEYS).flat())
      if (!UNREADABLE.has(key))
        assert.match(whole, new RegExp(`^[ -]*${key}: ?`, 'm'), `${key} is not exported`);

    assert.deepEqual([back.stdout, back.stderr, back.code], ['Nothing to change.\n', '', 0]);
    assert.match(whole, /chat_name: "Operations"/);
    const { 'tokens.yaml': _tokens, ...carried } = files;
    assert.deepEqual(
      Object.entries(again).map(([name, text]) => [name, withoutUnreadable(text)]),
      Object.entries(carried).map(([name, text]) => [name, withoutUnreadable(text)]),
    );
  });

  test('one project, one file, and a file of secrets that exists', async () => {
    await using here = await installation();
    await writeFile(here.at('all.yaml'), JSON.stringify(everything()));
    await here.run(apply, [here.at('all.yaml')], { ODD });

    const all = await here.run(exportCommand, ['--secrets-to', here.at('all.env')]);
    const variables = variablesIn(await readFile(here.at('all.env'), 'utf8'));
    assert.equal(parseProvisionFiles([{ path: 'a', content: all.stdout }], variables).projects.length, 3);
    const one = await here.run(exportCommand, ['--only', 'Beta', '--output', here.at('beta.yaml')]);
    assert.equal(one.code, 0, one.stderr);
    const beta = parseProvisionFiles(
      [{ path: 'b', content: await readFile(here.at('beta.yaml'), 'utf8') }],
      {},
    );
    assert.deepEqual(
      [beta.accounts.map(({ email }) => email), beta.projects.map(({ name }) => name)],
      [['bob@example.org'], ['Beta', 'Beta']],
    );
    const path = here.at('secrets.env');
    await writeFile(path, 'mine');
    const refused = await here.run(exportCommand, ['--output', here.at('files'), '--secrets-to', path]);
    assert.deepEqual([refused.code, refused.stderr], [1, `${path} exists, and is not overwritten.`]);
    assert.equal(await readFile(path, 'utf8'), 'mine');
    assert.equal((await here.run(exportCommand, ['--only', 'Nobody'])).code, 1);
  });

  test('an installation that came from Healthchecks is the same elsewhere, and exported alike', async () => {
    await using here = await installation();
    await using there = await installation();
    await using healthchecks = await healthchecksFixture('SQLite');
    const imported = await here.run(importCommand, [
      ...['healthchecks', '--database', healthchecks.place, '--apply'],
    ]);
    assert.equal(imported.code, 0, imported.stderr);

    const { files, secrets, again, back } = await moved(here, there);

    assert.deepEqual([back.stdout, back.code], ['Nothing to change.\n', 0]);
    const whole = Object.values(files).join('');
    for (const secret of Object.values(variablesIn(secrets)))
      assert.ok(secret.length < 6 || !whole.includes(secret), secret);
    const sealed = await sealedTexts(here);
    assert.ok(sealed.length > 10);
    for (const text of sealed) assert.ok(!whole.includes(text) && !secrets.includes(text), text);
    const carried = Object.entries(files).map(([name, text]) => [name, withoutUnreadable(text)]);
    assert.deepEqual(
      Object.entries(again).map(([name, text]) => [name, withoutUnreadable(text)]),
      carried,
    );
  });

  test('files of several sources say that they take entries over, and do', async () => {
    await using here = await installation();
    await using there = await installation();
    const owner = 'alice@example.org';
    const project = (source: string, checks: readonly object[]) =>
      JSON.stringify({ source, accounts: [{ email: owner }], projects: [{ name: 'Alpha', owner, checks }] });
    await writeFile(here.at('one.yaml'), project('one', [{ slug: 'a' }]));
    await writeFile(here.at('two.yaml'), project('two', [{ slug: 'b' }]));
    await here.run(apply, [here.at('one.yaml')]);
    const second = await here.run(apply, ['--take-over', here.at('two.yaml')]);
    assert.equal(second.code, 0, second.stderr);

    const { files, again, back, said } = await moved(here, there);

    const mixed = 'Several sources declare these entries: "one", "two".';
    const head = `# ${mixed}\n# Where they do, apply this with --take-over, and those files no longer.\n`;
    assert.ok(files['accounts.yaml']?.startsWith(head));
    assert.ok(said.includes(mixed));
    assert.equal(files['accounts.yaml']?.slice(head.length), again['accounts.yaml']);
    assert.equal(files['alpha.yaml'], again['alpha.yaml']);
    assert.match(back.stderr, /is declared by the source "(one|two)" \(--take-over takes it\)/);
    const taken = await here.run(apply, ['--take-over', here.at('files')]);
    assert.equal(taken.code, 0, taken.stderr);
  });
});
