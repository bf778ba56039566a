import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { applyCommand } from '../src/cli/apply.ts';
import { applyHere } from '../src/cli/apply-here.ts';
import { listed } from '../src/domain/check/check-links.ts';
import { sharedTestApp } from './app.ts';
import { runHere } from './cli.test-support.ts';
import { createMigratedPlace, forEachEngine } from './engines.ts';
import { temporaryFolder } from './process.ts';

const apply = applyCommand(async () => applyHere);

async function run(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const { code, stdout: text, stderr: said } = await runHere(apply, args, environment);
  return { code, text, said };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A project on the server, and a command that applies a file to it. */
  async function given() {
    await using parts = new AsyncDisposableStack();
    const folder = parts.use(await temporaryFolder());
    const { project, key, readOnlyKey } = await app().givenProject();
    const path = join(folder.path, 'tocsin.yaml');
    const url = `http://127.0.0.1:${await app().port()}`;
    const disposed = parts.move();
    return {
      ...{ project, key, readOnlyKey, path, url },
      applyText: async (text: string, ...args: readonly string[]) => {
        await writeFile(path, text);
        return run(['--url', `${url}/`, path, ...args], { TOCSIN_API_KEY: key });
      },
      slugs: async () => (await app().deps.store.checks.namesOfProject(project.id)).map(({ slug }) => slug),
      [Symbol.asyncDispose]: () => disposed.disposeAsync(),
    };
  }

  test('the checks of a file are made and changed on a server, and a second time nothing is', async () => {
    await using server = await given();
    const { project, applyText, slugs } = server;
    const old = await app().givenCheck(project, { slug: 'nightly', kind: 'cron', schedule: '0 1 * * *' });
    const ops = await app().givenChannel(project, { name: 'Ops' });
    const text = `projects:
  - name: Alpha
    checks:
      - { slug: nightly, schedule: "0 3 * * *", tz: Europe/Riga, integrations: [Ops] }
      - { slug: hourly, timeout: 3600, desc: "a: b", paused: true }
      - { slug: calendar, schedule: "*-*-* 03:00", success_kw: OK, filter_body: true }
`;

    const foreseen = await applyText(text, '--dry-run');
    assert.equal(foreseen.code, 2, foreseen.said);
    assert.deepEqual(foreseen.text.split('\n'), [
      '~ check Alpha/nightly  schedule: "0 1 * * *" → "0 3 * * *"',
      '~ check Alpha/nightly  tz: UTC → Europe/Riga',
      '~ check Alpha/nightly  integrations: [] → ["Ops"]',
      '+ check Alpha/hourly',
      '+ check Alpha/calendar',
      '',
    ]);
    assert.deepEqual(await slugs(), ['nightly']);

    const applied = await applyText(text);
    assert.deepEqual([applied.code, applied.said], [0, '']);
    const again = await applyText(text, '--dry-run');
    assert.deepEqual([again.code, again.text], [0, 'Nothing to change.\n']);
    assert.equal((await applyText(text)).text, 'Nothing to change.\n');
    const checks = await app().deps.store.checks.byIds(
      (await app().deps.store.checks.ofProject(project.id)).map(({ id }) => id),
    );
    assert.deepEqual(
      checks.map(({ slug, schedule, tz, status, uuid }) => [slug, schedule, tz, status, uuid === old.uuid]),
      [
        ['nightly', '0 3 * * *', 'Europe/Riga', old.status, true],
        ['hourly', '* * * * *', 'UTC', 'paused', false],
        ['calendar', '*-*-* 03:00', 'UTC', 'new', false],
      ],
    );
    assert.deepEqual(await app().deps.store.checks.channelsOf(old.id), [ops.uuid]);
  });

  test('checks get parents and are told of each success, also those that are made with the file', async () => {
    await using server = await given();
    const { project, applyText } = server;
    const store = app().deps.store;
    await app().givenChannel(project, { name: 'Ops' });
    const router = await app().givenCheck(project, { slug: 'router' });
    const text = `projects:
  - name: Alpha
    checks:
      - { slug: shop, parents: [switch, router], integrations: [Ops], done: [Ops] }
      - { slug: switch, parents: [router] }
`;

    const foreseen = await applyText(text, '--dry-run');
    assert.deepEqual(
      [foreseen.code, foreseen.text.split('\n'), foreseen.said],
      [
        2,
        [
          '+ check Alpha/shop',
          '+ check Alpha/switch',
          '~ check Alpha/shop    parents: [] → ["switch","router"]',
          '~ check Alpha/switch  parents: [] → ["router"]',
          '',
        ],
        '',
      ],
    );
    const applied = await applyText(text);
    assert.deepEqual([applied.code, applied.said], [0, '']);
    assert.equal((await applyText(text)).text, 'Nothing to change.\n');
    const turned = text
      .replace('switch, router', 'router')
      .replace('parents: [router] }', 'parents: [shop] }');
    assert.deepEqual((await applyText(turned)).text.split('\n'), [
      'updated check Alpha/shop: parents',
      'updated check Alpha/switch: parents',
      '',
    ]);

    const checks = await store.checks.byIds((await store.checks.ofProject(project.id)).map(({ id }) => id));
    const named = (slug: string) => checks.find((check) => check.slug === slug) ?? assert.fail();
    assert.deepEqual(
      [named('shop').parents, named('switch').parents, listed(named('shop').doneChannels).length],
      [router.uniqueKey, named('shop').uniqueKey, 1],
    );
  });

  test('all that can be told of each success are, and an integration that opens something elsewhere is none', async () => {
    await using server = await given();
    const { project, applyText } = server;
    const ops = await app().givenChannel(project, { name: 'Ops' });
    for (const [name, priority] of [
      ['Emergency', 2],
      ['Phone', 1],
    ] as const) {
      const settings = { user_key: 'u'.repeat(30), priority_down: priority };
      await app().givenChannel(project, { kind: 'po', name, settings });
    }
    const text = 'projects: [{ name: Alpha, checks: [{ slug: shop, integrations: "*", done: "*" }] }]';

    const applied = await applyText(text);
    assert.deepEqual([applied.code, applied.said], [0, '']);
    assert.equal((await applyText(text)).text, 'Nothing to change.\n');

    const [shop] = await app().deps.store.checks.namesOfProject(project.id);
    const [check] = await app().deps.store.checks.byIds([shop?.id ?? 0]);
    const channels = await app().deps.store.channels.ofProject(project.id);
    const told = listed(check?.doneChannels ?? '');
    assert.deepEqual(
      channels.filter(({ uuid }) => told.includes(uuid)).map(({ name }) => name),
      ['Ops', 'Phone'],
    );
    assert.ok(told.includes(ops.uuid));
  });

  test('what is no check is refused by name, or left out with its secrets', async () => {
    await using server = await given();
    const text = `accounts: [{ email: a@example.org }]
projects:
  - name: Alpha
    owner: a@example.org
    integrations: [{ kind: slack, name: Ops, url: "\${NOT_SET}" }]
    checks: [{ slug: nightly, aliases: [{ dialect: kuma, token: "\${NOT_SET}" }] }]
`;
    const rest = 'the API takes checks alone (--checks-only leaves everything else out)';

    const refused = await server.applyText(text);
    assert.equal(refused.code, 1);
    assert.deepEqual(
      refused.said.split('\n').map((line) => line.slice(server.path.length)),
      [
        `:1: accounts: ${rest}`,
        `:5: projects[0].integrations: ${rest}`,
        `:6: projects[0].checks[0].aliases: ${rest}`,
      ],
    );
    assert.deepEqual(await server.slugs(), []);
    const taken = await server.applyText(text, '--checks-only', '--json');
    assert.equal(taken.code, 0, taken.said);
    assert.deepEqual(JSON.parse(taken.text), {
      changes: [{ action: 'created', what: 'check', name: 'Alpha/nightly', fields: [] }],
    });
    assert.equal((await server.applyText(text, '--checks-only')).text, 'Nothing to change.\n');
  });

  test('checks that the file does not name are deleted only by a yes', async () => {
    await using server = await given();
    const { project, applyText, slugs } = server;
    for (const slug of ['one', 'two', 'three']) await app().givenCheck(project, { slug });
    const text = 'projects: [{ name: Alpha, checks: [{ slug: one }, { slug: two }] }]';

    assert.deepEqual((await applyText(text)).text, 'Nothing to change.\n');
    const foreseen = await applyText(text, '--prune', '--dry-run');
    assert.deepEqual([foreseen.code, foreseen.text], [2, '- check Alpha/three  not in the file\n']);
    const unanswered = await applyText(text, '--prune');
    assert.deepEqual(
      [unanswered.code, unanswered.said],
      [2, '- check Alpha/three  not in the file\nNothing was changed. --yes removes these.'],
    );
    const most = await applyText('projects: [{ name: Alpha, checks: [{ slug: one }] }]', '--prune', '--yes');
    assert.match(most.said, /2 of 3 entries would be removed, more than half\. Nothing was changed\./);
    const none = await applyText('projects: [{ name: Alpha }]', '--prune', '--yes');
    assert.deepEqual([most.code, none.code], [1, 1]);
    assert.deepEqual(await slugs(), ['one', 'two', 'three']);

    const pruned = await applyText(text, '--prune', '--yes');
    assert.deepEqual([pruned.code, pruned.text], [0, 'removed check Alpha/three\n']);
    assert.deepEqual(await slugs(), ['one', 'two']);
  });

  test('one project of several is named, and a wrong command line changes nothing', async () => {
    await using server = await given();
    const text = 'projects: [{ name: Alpha, checks: [{ slug: a }] }, { name: Beta, checks: [{ slug: b }] }]';

    const unnamed = await server.applyText(text);
    assert.deepEqual([unnamed.code, unnamed.said], [2, '--project names one of these: Alpha, Beta']);
    assert.equal((await server.applyText(text, '--dry-run')).code, 64);
    assert.equal((await server.applyText(text, '--project', 'Gamma')).code, 2);
    assert.equal((await server.applyText(text, '--keep-edits')).code, 2);
    assert.equal((await run([server.path, '--checks-only'], {})).code, 2);
    assert.equal((await run([server.path, '--remote'], { TOCSIN_API_KEY: server.key })).code, 2);
    assert.equal((await run([server.path, '--url', server.url], {})).code, 2);
    assert.equal((await run([server.path, '--url', 'https://a:b@example.org'], {})).code, 2);
    assert.deepEqual(await server.slugs(), []);

    assert.equal((await server.applyText(text, '--project', 'Beta')).code, 0);
    assert.deepEqual(await server.slugs(), ['b']);
  });

  test('the key comes from a file or a variable, and the server refuses others', async () => {
    await using server = await given();
    const { path, url, key, readOnlyKey } = server;
    await app().givenCheck(server.project, { slug: 'a' });
    await writeFile(path, 'projects: [{ name: Alpha, checks: [{ slug: a }] }]');
    await writeFile(`${path}.key`, `${key}\n`);
    const code = async (args: readonly string[], environment: Readonly<Record<string, string>>) =>
      (await run([path, '--remote', ...args], { TOCSIN_URL: url, ...environment })).code;

    assert.equal(await code(['--key-file', `${path}.key`], { TOCSIN_API_KEY: 'wrong' }), 0);
    assert.equal(await code([], { TOCSIN_API_KEY: '', HC_API_KEY: key }), 0);
    assert.equal(await code([], { TOCSIN_API_KEY: `file:${path}.key` }), 0);
    assert.equal(await code([], { TOCSIN_API_KEY: `file:${path}.none` }), 2);
    assert.equal(await code([], { TOCSIN_API_KEY: 'wrong', HC_API_KEY: key }), 4);
    assert.equal(await code([], { TOCSIN_API_KEY: readOnlyKey }), 4);
    assert.equal(await code(['--key-file', `${path}.none`], {}), 2);
    const odd = await run([path, '--url', url], { TOCSIN_API_KEY: 'line\nend' });
    assert.deepEqual([odd.code, odd.said], [2, 'the API key has characters that no key has']);
  });

  test('a profile has server and key, and its key goes nowhere else', async () => {
    await using server = await given();
    const { path, url, key } = server;
    await writeFile(path, 'projects: [{ name: Alpha, checks: [{ slug: a }] }]');
    const config = `${path}.json`;
    const store = [process.execPath, '-e', `console.log(${JSON.stringify(key)})`];
    const profiles = {
      prod: { url, api_key: key },
      store: { url, api_key_command: store },
      failing: { url, api_key_command: [process.execPath, '-e', `console.log("${key}"); process.exit(1)`] },
    };
    await writeFile(config, JSON.stringify({ default: 'prod', profiles }), { mode: 0o600 });
    const runWith = (args: readonly string[], environment = {}) =>
      run([path, '--dry-run', ...args], { TOCSIN_CONFIG: config, ...environment });

    assert.equal((await runWith(['--remote'])).code, 2);
    assert.equal((await runWith(['--profile', 'prod'], { TOCSIN_API_KEY: 'wrong' })).code, 2);
    assert.equal((await runWith(['--profile', 'store'])).code, 2);
    assert.equal((await runWith(['--remote'], { TOCSIN_API_KEY: 'wrong' })).code, 4);
    const failed = await runWith(['--profile', 'failing']);
    assert.equal(failed.code, 64);
    assert.ok(!failed.said.includes(key));
    assert.match((await runWith(['--url', url])).said, /API key of the project is missing/);
    assert.match((await runWith(['--url', url, '--profile', 'prod'])).said, /two servers/);
    assert.match((await runWith(['--profile', 'none'])).said, /there is no profile "none"/);
    await chmod(config, 0o644);
    assert.match((await runWith(['--remote'])).said, /^Others can read /);
    await writeFile(config, '{');
    assert.match((await runWith(['--remote'])).said, /is no JSON/);
  });

  test('a server that takes no more checks keeps those that it took', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'tocsin.yaml');
    const { key, project } = await app().givenProject({ limits: { checks: 1, pings: 100 } });
    await writeFile(path, 'projects: [{ name: Alpha, checks: [{ slug: a }, { slug: b }] }]');
    const url = `http://127.0.0.1:${await app().port()}`;

    const stopped = await run([path, '--url', url], { TOCSIN_API_KEY: key });

    assert.deepEqual([stopped.code, stopped.text], [4, 'created check Alpha/a\n']);
    assert.match(stopped.said, /takes no more checks.*\nThe changes before it stay\./);
    const names = await app().deps.store.checks.namesOfProject(project.id);
    assert.deepEqual(
      names.map(({ slug }) => slug),
      ['a'],
    );
  });
});

test('variables that name a server leave a file with this installation', async () => {
  await using folder = await temporaryFolder();
  await using place = await createMigratedPlace('sqlite');
  assert.ok(place.database.engine === 'sqlite');
  const path = join(folder.path, 'tocsin.yaml');
  await writeFile(path, 'accounts: [{ email: a@example.org }]');

  const applied = await run([path], {
    DATABASE_URL: `sqlite:${place.database.path}`,
    SECRET_KEY: 'a secret for tests only, of some length',
    TOCSIN_URL: 'http://127.0.0.1:1',
    TOCSIN_API_KEY: 'x',
    TOCSIN_PROFILE: 'prod',
  });

  assert.deepEqual([applied.code, applied.text], [0, 'created account a@example.org\n']);
});
