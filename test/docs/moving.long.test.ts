import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { KumaFixture } from '../../src/import/kuma/fixture.test-support.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { addCheckAlias, insertAlias, setDialects } from '../../src/services/ping/aliases.ts';
import { setPingKey } from '../../src/services/project/projects.ts';
import { startTestApp } from '../app.ts';
import { freePort } from '../free-port.ts';
import { fixtureFacts, healthchecksFixture } from '../import/healthchecks-fixture.ts';
import { REPOSITORY, startProcess, temporaryFolder, unless } from '../process.ts';
import { until } from '../waiting.ts';
import { commandsOf, runCommands, TOCSIN } from './commands.ts';

interface Ran {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly programs?: Readonly<Record<string, string>>;
  /** What the commands of each block may end with, by the block. */
  readonly codes?: readonly number[];
}

/** Runs the commands of one section, and returns what each block said. */
async function runSection(
  section: string,
  { codes = [], programs = {}, ...options }: Ran,
): Promise<string[]> {
  const said: string[] = [];
  const blocks = (await commandsOf('moving.md')).filter((block) => block.section === section);
  for (const [index, { script }] of blocks.entries()) {
    const { code, stdout, stderr } = await runCommands(script, {
      ...options,
      programs: { tocsin: TOCSIN, ...programs },
    });
    assert.equal(code, codes[index] ?? 0, `${script}\n${stdout}${stderr}`);
    said.push(stdout);
  }
  return said;
}

/** The page starts the service after its commands. */
const WITHOUT_SERVICE = `[ "$1" = serve ] && exit 0\n${TOCSIN}`;

test('the page moves Healthchecks in', async () => {
  await using folder = await temporaryFolder();
  await using fixture = await healthchecksFixture('SQLite');
  await copyFile(fixture.place, join(folder.path, 'hc.sqlite'));
  await writeFile(join(folder.path, 'hc-secret'), (await fixtureFacts()).secret_key);

  const said = await runSection('From Healthchecks, your own', {
    cwd: folder.path,
    programs: { tocsin: WITHOUT_SERVICE },
  });

  assert.match(said[0] ?? '', /Would be carried: .*checks 31[\s\S]*Nothing was written/);
  assert.match(said[1] ?? '', /Carried: .*checks 31/);
  assert.match(said[2] ?? '', /accepted no longer[\s\S]*Alpha/);
});

test('the page moves a project of another server in', async () => {
  await using folder = await temporaryFolder();
  await using elsewhere = await startTestApp('sqlite');
  const { project, key } = await elsewhere.givenProject();
  await elsewhere.givenCheck(project, { slug: 'nightly' });
  const url = `http://127.0.0.1:${await elsewhere.port()}`;
  const tocsin = `[ "$1" = export ] && set -- "$@" --url ${url} && TOCSIN_API_KEY=${key}\n${TOCSIN}`;

  const said = await runSection('From Healthchecks.io, or a server of others', {
    cwd: folder.path,
    programs: { tocsin },
    codes: [2, 0],
  });

  assert.match(said[0] ?? '', /\+ check Imported\/nightly/);
  assert.match(said[1] ?? '', /created check Imported\/nightly/);
});

test('the page moves Uptime Kuma in', async () => {
  await using folder = await temporaryFolder();
  using fixture = new KumaFixture('2');
  const docker = `if [ "$1" = cp ]; then mkdir "$3" && cp '${fixture.path}' "$3"; fi`;

  const [asked = '', done = ''] = await runSection('From Uptime Kuma', {
    cwd: folder.path,
    programs: { docker },
  });

  assert.match(asked, /checks 11/);
  assert.match(asked, /Nothing was written/);
  assert.match(done, /checks 11[\s\S]*\/accounts\/password\/#/);
  const { stdout } = await runCommands('cat .env; ls', { cwd: folder.path });
  assert.match(stdout, /^TELEGRAM_TOKEN=/m);
  assert.doesNotMatch(stdout, /^kuma\.env$/m);
});

test('the page moves Cronitor in', async () => {
  await using folder = await temporaryFolder();
  await using app = await startTestApp('sqlite');
  const { project } = await app.givenProject();
  const by = { accountId: null, name: 'alice', means: 'session', remoteAddr: null } as const;
  await setDialects(app.deps, systemActor(project.id, by), { kuma: false, cronitor: { create: true } });
  const CRONITOR_KEY = '0123456789abcdef0123456789abcdef';
  await app.deps.store.transaction(async (tx) => {
    await setPingKey(app.deps, tx, project, 'a-ping-key-of-the-project');
    await insertAlias(app.deps, tx, { dialect: 'cronitor', token: CRONITOR_KEY, projectId: project.id });
  });
  const env = { TOCSIN: `http://127.0.0.1:${await app.port()}`, CRONITOR_KEY };

  const [said] = await runSection('From Cronitor', { cwd: folder.path, env });

  assert.equal(said, 'CreatedOK');
  const [check] = await app.deps.store.transaction((tx) => tx.checks.namesOfProject(project.id));
  assert.equal(check?.slug, 'nightly');
});

test('the page keeps everything in files', async () => {
  await using folder = await temporaryFolder();
  const env = { SLACK_URL: 'https://hooks.slack.com/services/T0/B0/x' };

  const said = await runSection('Everything in files', { cwd: folder.path, env });
  await rm(join(folder.path, 'infra'), { recursive: true });
  const [exported] = await runSection('An installation that exists', { cwd: folder.path, env });

  assert.match(said[0] ?? '', /created check Alpha\/nightly/);
  assert.equal(said[1], 'Nothing to change.\n');
  assert.match(exported ?? '', /Nothing to change\.\n$/);
});

test('every command of the page is run here', async () => {
  const sections = (await commandsOf('moving.md')).map(({ section }) => section);

  assert.deepEqual(
    [...new Set(sections)],
    [
      'From Healthchecks, your own',
      'From Healthchecks.io, or a server of others',
      'From Uptime Kuma',
      'From Cronitor',
      'Everything in files',
      'An installation that exists',
    ],
  );
});

/** Each row of what breaks, and what a report or a refusal says of it. Null: the page says that no report can. */
const BREAKS: Readonly<Record<string, RegExp | null>> = {
  'links in old mails, sessions': /what: 'sessions'/,
  'passwords as `bcrypt`, or with an unusual cost': /is not verified here, or takes too long/,
  'security keys, if the host name changes': /browsers use it only at the host/,
  'API keys, without the old `SECRET_KEY`': /is known by its digest alone/,
  'integrations of kinds that no longer exist, such as the old Teams connector or LINE Notify':
    /connectors of Teams[\s\S]*LINE Notify has ended/,
  'bodies in object storage': /what: 'bodies of pings'/,
  '[flips by version 3 of the API](operating.md#coming-from-healthchecks)': null,
  'logs of notifications, pending transfers, payments':
    /what: 'notifications'[\s\S]*what: 'subscriptions'[\s\S]*has not taken the project over yet/,
  'monitors of other types, and those that are upside down': /its type is [\s\S]*it is upside down/,
  'maintenances, status pages': /what: 'maintenances'[\s\S]*what: 'status pages'/,
  'users, their passwords and second factors': /what: 'users'[\s\S]*what: 'second factors'/,
  'repeated alerts, and retries of a push that fails': /repeated alerts[\s\S]*retries of a failing push/,
  'templates, names, icons and sounds of notifications': /there is no such setting here/,
  'webhooks as forms, or with more in braces than name, msg and status': /its body has more in braces/,
  'intervals below a minute': /seconds to .* days are allowed/,
  'MariaDB as the database of Uptime Kuma': /is no database of Uptime Kuma/,
  'one monitor for all environments': null,
  'metrics as numbers': null,
  'the command line of Cronitor, which knows one host': null,
  'history and integrations there': null,
};

test('of everything that breaks a report tells the reason, or the page says that none can', async () => {
  const page = await readFile(join(REPOSITORY, 'docs/moving.md'), 'utf8');
  const paths = ['src/import/healthchecks', 'src/import/kuma', 'src/cli/import-report.ts'];
  await using folder = await temporaryFolder();
  const { stdout } = await runCommands(
    `cd '${REPOSITORY}' && find ${paths.join(' ')} -name '*.ts' ! -name '*.test*' | sort | xargs cat`,
    { cwd: folder.path },
  );

  const rows = page
    .split('| What breaks |')
    .slice(1)
    .flatMap((table) => {
      const [lines = ''] = table.split('\n\n');
      const isForeseen = /no report tells which[^\n]*\n\n$/.test(page.slice(0, page.indexOf(table) - 15));
      return Array.from(lines.matchAll(/^\| (.+?) \| (.+) \|$/gm), ([, what = '', why = '']) => ({
        what,
        saysNone: isForeseen || why.includes('no report'),
      }));
    });

  assert.deepEqual(
    rows.map(({ what }) => what),
    Object.keys(BREAKS),
  );
  for (const { what, saysNone } of rows) {
    const reason = BREAKS[what] ?? null;
    if (reason === null) assert.ok(saysNone, what);
    else assert.match(stdout, reason, what);
  }
});

/** A server that notes requests and answers with its name. */
async function startServer(name: string, port: number, requests: string[]): Promise<AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    requests.push(`${name} ${request.method} ${request.url} ${body}`);
    response.end(name);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

const skip = unless(['nginx', '-v'], 'nginx is not installed');

/** Runs nginx with the lines of the page that begin so. Returns its address. */
async function startNginx(beginning: string, ports: Readonly<Record<string, number>>) {
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(await temporaryFolder());
  const page = await readFile(join(REPOSITORY, 'docs/moving.md'), 'utf8');
  const [, lines = assert.fail()] =
    [...page.matchAll(/^```nginx\n([\s\S]*?)^```$/gm)].find(([, text]) => text?.startsWith(beginning)) ?? [];
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${path}/${name};`)
    .join('\n');
  const placed = Object.entries(ports).reduce(
    (text, [from, to]) => text.replaceAll(`127.0.0.1:${from}`, `127.0.0.1:${to}`),
    lines,
  );
  await writeFile(
    join(path, 'nginx.conf'),
    `daemon off; pid ${path}/pid; error_log ${path}/errors; events {}
http {
  access_log off;
  ${temporary}
  server {
    listen 127.0.0.1:${port};
    ${placed}
  }
}
`,
  );
  opened.use(startProcess('nginx', ['-c', join(path, 'nginx.conf')], { cwd: path }));
  const url = `http://127.0.0.1:${port}`;
  await until('nginx listens', () =>
    fetch(`${url}/nothing`).then(
      () => true,
      () => false,
    ),
  );
  const parts = opened.move();
  return { url, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

test('the lines for nginx send each ping to both servers, and the second may be away', { skip }, async () => {
  const [first, second] = [await freePort(), await freePort()];
  const requests: string[] = [];
  await using _old = await startServer('old', first, requests);
  await using nginx = await startNginx('location /ping/', { 8000: first, 8001: second });
  const ping = async (body: string) => {
    const answer = await fetch(`${nginx.url}/ping/abc/fail?rid=1`, { method: 'POST', body });
    return answer.text();
  };
  {
    await using _new = await startServer('new', second, requests);

    const answer = await ping('disk full');
    const mirrored = () => requests.filter((request) => request.endsWith('disk full'));
    await until('both have it', () => mirrored().length === 2);

    assert.equal(answer, 'old');
    assert.deepEqual(mirrored().toSorted(), [
      'new POST /ping/abc/fail?rid=1 disk full',
      'old POST /ping/abc/fail?rid=1 disk full',
    ]);
  }
  assert.equal(await ping('again'), 'old');
});

test('the lines for nginx send pushes of Uptime Kuma alone to Tocsin', { skip }, async () => {
  await using app = await startTestApp('sqlite');
  const { project } = await app.givenProject();
  const check = await app.givenCheck(project);
  await setDialects(app.deps, systemActor(project.id), { kuma: true, cronitor: null });
  await addCheckAlias(app.deps, systemActor(project.id), check.id, { dialect: 'kuma', token: 'aB3-_fGh9Z' });
  await using nginx = await startNginx('location /api/push/', { 8000: await app.port() });

  const pushed = await fetch(`${nginx.url}/api/push/aB3-_fGh9Z?status=up&msg=done`);
  const other = await fetch(`${nginx.url}/api/v3/checks/`);

  assert.deepEqual([pushed.status, await pushed.text(), other.status], [200, '{"ok":true}', 404]);
  assert.equal((await app.deps.store.checks.byId(check.id))?.status, 'up');
});
