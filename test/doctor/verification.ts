/** `npm run verify:doctor`: tries `tocsin doctor` with proxies and file systems that a machine may lack. Needs root for FUSE. */
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
import { freePort } from '../free-port.ts';
import { temporaryFolder, unless } from '../process.ts';
import { until } from '../waiting.ts';
import { startWholeInstallation, verdictsOf } from './installation.ts';

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

test('NFS', { skip: 'needs a kernel with an NFS server, in an emulated machine' }, () => undefined);
