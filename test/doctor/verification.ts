/** `npm run verify:doctor`: tries `tocsin doctor` with proxies, poolers and file systems that a machine may lack. Needs root for FUSE. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createDoctor } from '../../src/doctor/doctor.ts';
import { ROWS } from '../../src/doctor/rows.ts';
import type { Finding, Verdict } from '../../src/domain/finding.ts';
import { fileSystemOf } from '../../src/lib/file-system.ts';
import { freePort } from '../free-port.ts';
import { REPOSITORY, startProcess, temporaryFolder, unless } from '../process.ts';
import { until } from '../waiting.ts';
import { startSafePostgres, startWholeInstallation, verdictsOf } from './installation.ts';

interface Proxy {
  readonly name: string;
  readonly program: string;
  readonly version: readonly [string, ...string[]];
  readonly args: (file: string) => readonly string[];
  /** The whole configuration. `lines` are those that doctor advises. */
  readonly configuration: (at: {
    readonly port: number;
    readonly service: string;
    readonly folder: string;
    readonly lines: readonly string[];
  }) => string;
  /** What is wrong with it as it comes. */
  readonly plain: Readonly<Record<string, Verdict>>;
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    program: 'nginx',
    version: ['nginx', '-v'],
    args: (file) => ['-c', file],
    configuration: ({
      port,
      service,
      folder,
      lines,
    }) => `user root; daemon off; pid ${folder}/pid; error_log ${folder}/errors;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/client; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://${service};
      ${lines.join('\n      ')}
    }
  }
}`,
    plain: { site: 'warn', proxy: 'fail', passage: 'warn' },
  },
  {
    name: 'Caddy',
    program: 'caddy',
    version: ['caddy', 'version'],
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    configuration: ({ port, service, lines }) => `{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  reverse_proxy ${service} {
    ${lines.join('\n    ')}
  }
}`,
    plain: { site: 'warn', proxy: 'ok', passage: 'ok' },
  },
  {
    name: 'HAProxy',
    program: 'haproxy',
    version: ['haproxy', '-v'],
    args: (file) => ['-db', '-f', file],
    configuration: ({ port, service, lines }) => `defaults
  mode http
  timeout connect 5000
  timeout client 50000
  timeout server 50000
frontend site
  bind 127.0.0.1:${port}
  ${lines.join('\n  ')}
  default_backend tocsin
backend tocsin
  server one ${service}
`,
    plain: { site: 'warn', proxy: 'fail', passage: 'ok' },
  },
];

const LOOKED_AT = ['site', 'proxy', 'passage'];
/** By http, since the certificate is another matter. */
const ALL_RIGHT = { site: 'warn', proxy: 'ok', passage: 'ok' };

/** The line that doctor advises for one proxy. */
function advisedFor(name: string, { advice }: Finding): string[] {
  return [...(advice ?? '').matchAll(/(\w+): (.*?)(?= · \w+: |$| (?=nginx: ))/g)].flatMap(
    ([, proxy, line = '']) => (proxy === name ? [line] : []),
  );
}

suite('a real proxy', () => {
  for (const { name, program, version, args, configuration, plain } of PROXIES) {
    const skip = unless(version, `${program} is not installed`);
    test(`${name}, plain and then with the lines that doctor advises`, { skip }, async () => {
      await using folder = await temporaryFolder();
      const port = await freePort();
      await using whole = await startWholeInstallation({ SITE_ROOT: `http://127.0.0.1:${port}` });
      const service = `127.0.0.1:${whole.settings.PORT}`;
      const lookBehind = async (lines: readonly string[]) => {
        const file = join(folder.path, 'configuration');
        await writeFile(file, `${configuration({ port, service, folder: folder.path, lines })}\n`);
        const running = spawn(program, args(file), {
          stdio: 'ignore',
          env: { PATH: process.env.PATH, HOME: folder.path },
        });
        const ended = once(running, 'exit');
        try {
          await Promise.race([
            until(`${name} listens`, () => isOpen(port)),
            ended.then(() => assert.fail(`${name} has ended`)),
          ]);
          return await whole.examine({}, { rest: (ms) => delay(ms) }, LOOKED_AT);
        } finally {
          running.kill('SIGTERM');
          await ended;
        }
      };

      const found = await lookBehind([]);
      assert.deepEqual(verdictsOf(found), plain);
      const lines = found
        .filter((finding) => finding.name !== 'site')
        .flatMap((finding) => advisedFor(name, finding));
      console.log(`${name}: ${lines.length === 0 ? 'nothing to add' : lines.join(' ')}`);

      assert.deepEqual(verdictsOf(await lookBehind(lines)), ALL_RIGHT);
    });
  }
});

async function isOpen(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

suite('a real FUSE', () => {
  const skip = unless(['bindfs', '--version'], 'bindfs is not installed');
  const mounted: [name: string, options: readonly string[], verdict: Verdict, sentence: RegExp][] = [
    ['that passes everything on warns', [], 'warn', /Another process saw every commit/],
    [
      'that shares no memory between processes fails',
      ['-o', 'direct_io'],
      'fail',
      /SQLite cannot work there|did not see/,
    ],
  ];
  for (const [name, options, verdict, sentence] of mounted) {
    test(name, { skip }, async () => {
      await using folder = await temporaryFolder();
      const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
      await mkdir(from, { mode: 0o700 });
      await mkdir(to);
      execFileSync('bindfs', [...options, from, to]);
      try {
        const [found] = await createDoctor({ DATABASE_URL: `sqlite:${to}/tocsin.db` }).examine(
          ROWS.filter((row) => row.name === 'disk'),
        );
        assert.equal(found?.verdict, verdict, found?.sentence ?? '');
        assert.match(found?.sentence ?? '', sentence);
      } finally {
        execFileSync('umount', [to]);
      }
    });
  }
});

test('PgBouncer', { skip: unless(['pgbouncer', '--version'], 'pgbouncer is not installed') }, async () => {
  await using server = await startSafePostgres();
  await using folder = await temporaryFolder();
  const { hostname, port: serverPort, password, pathname } = new URL(server.url);
  const lookThrough = async (line: string) => {
    const port = await freePort();
    const file = join(folder.path, 'pgbouncer.ini');
    const configuration = `[databases]
tocsin = host=${hostname} port=${serverPort} dbname=${pathname.slice(1)} user=postgres password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
user = nobody
${line}`;
    await writeFile(file, configuration);
    await using running = startProcess('pgbouncer', [file], { cwd: '/' });
    await until('PgBouncer listens', () => isOpen(port));
    const [found] = await createDoctor({
      DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/tocsin`,
    }).examine(ROWS.filter((row) => row.name === 'database'));
    running.signal('SIGINT');
    await running.exit();
    return found;
  };

  const plain = await lookThrough('');
  assert.equal(plain?.verdict, 'fail', plain?.sentence ?? '');
  assert.match(plain?.sentence ?? '', /behind a pooler that refuses our time-outs/);

  const parameters = 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout';
  const lenient = await lookThrough(`ignore_startup_parameters = ${parameters}`);
  assert.equal(lenient?.verdict, 'warn', lenient?.sentence ?? '');
  assert.match(lenient?.sentence ?? '', /^A pooler is between .* Statements may take 0 ms, and not 10000 ms/);
});

suite('a FUSE of the test', () => {
  const skip = unless(['sh', '-c', 'test "$(id -u)" = 0 && test -c /dev/fuse'], 'needs root and /dev/fuse');
  const kept: [name: string, cached: 'each' | 'all', verdict: Verdict, sentence: RegExp][] = [
    ['that caches nothing warns', 'all', 'warn', /Another process saw every commit/],
    ['that caches for each process fails', 'each', 'fail', /another process did not see \d+ of the commits/],
  ];
  for (const [name, cached, verdict, sentence] of kept) {
    test(name, { skip }, async () => {
      await using folder = await temporaryFolder();
      const program = join(REPOSITORY, 'test/doctor/fuse.ts');
      await using running = startProcess(process.execPath, [program, folder.path, cached], { cwd: '/' });
      const isFuse = async () => (await fileSystemOf(folder.path)).kind === 'fuse';
      await until('the file system is mounted', isFuse);
      try {
        const [found] = await createDoctor({ DATABASE_URL: `sqlite:${folder.path}/tocsin.db` }).examine(
          ROWS.filter((row) => row.name === 'disk'),
        );
        assert.equal(found?.verdict, verdict, found?.sentence ?? '');
        assert.match(found?.sentence ?? '', sentence);
      } finally {
        execFileSync('umount', [folder.path]);
        await running.exit();
      }
    });
  }
});

test('NFS', { skip: 'needs a kernel with an NFS server, in an emulated machine' }, () => undefined);
