import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { everyKind } from '../src/integrations/every-kind.test-support.ts';
import { FILE_KEYS, parseProvisionFiles } from '../src/provision/parse.ts';
import { createMigratedPlace, forEachEngine } from './engines.ts';
import { runCli, temporaryFolder } from './process.ts';

const PASSWORD = 'correct horse battery';
const RW = `hcw_${'a'.repeat(28)}`;
const WALL = `hcd_${'b'.repeat(28)}`;
const TOKEN = `hct_${'c'.repeat(28)}`;
const PING_KEY = 'pingkeypingkeypingkey1';
const ALIAS = 'alias-of-kuma-123';
const CRONITOR = 'key-of-cronitor-123';

/** Keys of files that an export does not write: nobody can read their values, or they are older names of others. */
const UNREADABLE = new Set(['password', 'secret', 'last_ping', 'down', 'subject', 'subject_fail']);

/** Every kind of entry, with every field. Settings of integrations hold texts that look like variables, too. */
function everything() {
  const integrations = everyKind()
    .filter(({ kind }) => kind !== 'group' && kind !== 'shell')
    .map(({ kind, settings }) => {
      const { name: _name, ...rest } = settings;
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
      return { kind, name: `The ${kind}`, ...(kind === 'email' && { verified: true }), ...given };
    });
  return {
    source: 'infra',
    accounts: [
      {
        ...{ email: 'alice@example.org', name: 'Alice', admin: true, theme: 'dark', password: PASSWORD },
        ...{ limits: { checks: 50, pings: 70 }, tz: 'Europe/Riga', reports: 'weekly', reminders: 'hourly' },
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
    const { database } = place;
    const env = {
      DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url,
      SECRET_KEY: 'a secret for tests only, of some length',
    };
    const parts = opened.move();
    return {
      folder: folder.path,
      run: (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
        runCli(args, { cwd: folder.path, env: { ...variables, ...env } }),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
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
    await writeFile(join(here.folder, 'all.yaml'), JSON.stringify(everything()));
    const applied = await here.run(['apply', 'all.yaml']);
    assert.equal(applied.code, 0, applied.stderr);

    const exported = await here.run(['export', '--output', 'files', '--secrets-to', 'secrets.env']);
    assert.equal(exported.code, 0, exported.stderr);
    const files = await contents(join(here.folder, 'files'));
    assert.deepEqual(Object.keys(files), [
      'accounts.yaml',
      'alpha-1.yaml',
      'beta-44444444.yaml',
      'beta-55555555.yaml',
      'tokens.yaml',
    ]);
    const secrets = await readFile(join(here.folder, 'secrets.env'), 'utf8');
    assert.equal((await stat(join(here.folder, 'secrets.env'))).mode & 0o777, 0o600);
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

    const again = await here.run(['apply', '--dry-run', 'files'], variablesIn(secrets));
    assert.deepEqual([again.stdout, again.stderr, again.code], ['Nothing to change.\n', '', 0]);

    const target = join(there.folder, 'files');
    await mkdir(target);
    for (const [name, text] of Object.entries(files)) await writeFile(join(target, name), text);
    const moved = await there.run(['apply', 'files'], variablesIn(secrets));
    assert.equal(moved.code, 0, moved.stderr);
    assert.equal((await there.run(['export', '--output', 'again', '--secrets-to', 'secrets.env'])).code, 0);
    const second = await contents(join(there.folder, 'again'));
    const { 'tokens.yaml': _tokens, ...carried } = files;
    assert.deepEqual(
      Object.entries(second).map(([name, text]) => [name, withoutUnreadable(text)]),
      Object.entries(carried).map(([name, text]) => [name, withoutUnreadable(text)]),
    );
    assert.equal(await readFile(join(there.folder, 'secrets.env'), 'utf8'), secrets);
  });

  test('one project, one file, and a file of secrets that exists', async () => {
    await using here = await installation();
    await writeFile(join(here.folder, 'all.yaml'), JSON.stringify(everything()));
    await here.run(['apply', 'all.yaml']);

    const all = await here.run(['export', '--secrets-to', 'all.env']);
    const variables = variablesIn(await readFile(join(here.folder, 'all.env'), 'utf8'));
    assert.equal(parseProvisionFiles([{ path: 'a', content: all.stdout }], variables).projects.length, 3);
    const one = await here.run(['export', '--only', 'Beta', '--output', 'beta.yaml']);
    assert.equal(one.code, 0, one.stderr);
    const beta = parseProvisionFiles(
      [{ path: 'b', content: await readFile(join(here.folder, 'beta.yaml'), 'utf8') }],
      {},
    );
    assert.deepEqual(
      [beta.accounts.map(({ email }) => email), beta.projects.map(({ name }) => name)],
      [['bob@example.org'], ['Beta', 'Beta']],
    );
    await writeFile(join(here.folder, 'secrets.env'), 'mine');
    const refused = await here.run(['export', '--output', 'files', '--secrets-to', 'secrets.env']);
    assert.deepEqual([refused.code, refused.stderr], [1, 'secrets.env exists, and is not overwritten.\n']);
    assert.equal(await readFile(join(here.folder, 'secrets.env'), 'utf8'), 'mine');
    assert.equal((await here.run(['export', '--only', 'Nobody'])).code, 1);
  });
});
