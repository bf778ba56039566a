/**
 * Builds the image twice, looks into it and runs it: `npm run verify:image`. It needs Debian's packages, root and some
 * minutes, so `npm test` leaves it out. What a machine lacks is skipped, with the reason.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, type TestContext, test } from 'node:test';
import { createTransport } from 'nodemailer';
import { copyCheckout } from '../../test/checkout.ts';
import { freePort } from '../../test/free-port.ts';
import { listening, REPOSITORY, type RunningProcess, startProcess, unless } from '../../test/process.ts';
import { becomes } from '../../test/waiting.ts';
import { readLock } from '../package/lock.ts';
import type { ContainerConfig } from './oci.ts';
import { USER } from './root.ts';
import { DECLARATION, ENVIRONMENT, KEY, PING_PATH, withoutTools } from './trial.ts';

const MEGABYTE = 1_000_000;
const BUDGET = { unpacked: 180, compressed: 62, upgrade: 12, resident: 185 };
/** https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html */
const MACHINE_OFFSET = 18;
const MACHINES = { amd64: 62, arm64: 183 } as const;

const { version } = await readLock();
const unreadable = unless(['skopeo', '--version'], 'skopeo is not installed');
const unrunnable =
  (process.getuid?.() !== 0 && 'only root can become the users of the image') ||
  (process.arch !== 'x64' && 'this processor runs another platform') ||
  unless(
    ['setpriv', `--reuid=${USER}`, '--clear-groups', 'bwrap', '--unshare-all', '--ro-bind', '/', '/', 'true'],
    'bubblewrap is not installed, or users may not make namespaces',
  );

/** For any free port, with the declaration that the tests put beside the data. */
const OF_SERVICE = ['PORT=0', 'SMTPD_PORT=0', 'PROVISION_FILE=/data/declaration.yaml'];

interface Unpacked {
  readonly root: string;
  readonly config: ContainerConfig;
  readonly compressed: readonly number[];
}

suite('image', { skip: withoutTools }, () => {
  let folder: string;
  let images: string;
  let amd64: Unpacked;
  let arm64: Unpacked;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tocsin-verify-image-'));
    // The users of the image must get to its root.
    await chmod(folder, 0o755);
    images = join(folder, 'images');
    build(REPOSITORY, images);
    amd64 = await unpack('amd64');
    arm64 = await unpack('arm64');
  });

  after(() => rm(folder, { recursive: true, force: true }));

  function build(checkout: string, target: string, env: Record<string, string> = {}, prelude = 'true') {
    // It takes longer than tests wait for a process.
    execFileSync('sh', ['-c', `${prelude} && exec npm run -s image -- --to "$0"`, target], {
      cwd: checkout,
      env: { ...ENVIRONMENT, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  async function unpack(architecture: string): Promise<Unpacked> {
    const layout = join(folder, architecture);
    const root = join(folder, `${architecture}-root`);
    await mkdir(layout);
    await mkdir(root);
    await run('tar', ['-xf', join(images, `tocsin-${version}-${architecture}.tar`), '-C', layout]);
    const [{ Config, Layers }] = JSON.parse(await readFile(join(layout, 'manifest.json'), 'utf8'));
    const { config } = JSON.parse(await readFile(join(layout, Config), 'utf8'));
    const compressed: number[] = [];
    for (const layer of Layers) {
      await run('tar', ['-xpzf', join(layout, layer), '-C', root, '--numeric-owner']);
      compressed.push((await stat(join(layout, layer))).size);
    }
    return { root, config, compressed };
  }

  test('another folder, umask, locale and time zone give the same bytes', async () => {
    const checkout = join(folder, 'elsewhere/checkout');
    await copyCheckout(checkout);
    const again = join(folder, 'again');
    const seconds = (await run('git', ['log', '-1', '--format=%ct'])).trim();
    const env = { SOURCE_DATE_EPOCH: seconds, TZ: 'Asia/Tokyo', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' };

    build(checkout, again, env, 'umask 077');

    for (const name of await readdir(images))
      assert.equal(await hashOf(join(again, name)), await hashOf(join(images, name)), name);
  });

  test('a package of Debian that is not the locked one fails, by its name', async () => {
    const checkout = join(folder, 'other-lock');
    await copyCheckout(checkout);
    const lock = join(checkout, 'image/packages.lock');
    await writeFile(lock, (await readFile(lock, 'utf8')).replace(/^(amd64 libc6) \S+/m, '$1 0.1'));
    await using npm = startProcess(
      process.execPath,
      ['scripts/image/index.ts', '--to', join(folder, 'none')],
      {
        cwd: checkout,
        env: { ...ENVIRONMENT, SOURCE_DATE_EPOCH: '1' },
      },
    );

    const exit = await npm.exit();

    assert.equal(exit.code, 1);
    assert.match(exit.stderr, /libc6 for amd64 is \S+, and 0\.1 in the lock\n.*--update/);
  });

  test('skopeo reads both platforms in both forms', { skip: unreadable }, async () => {
    for (const architecture of ['amd64', 'arm64']) {
      const both = join(images, `tocsin-${version}.tar`);
      const one = join(images, `tocsin-${version}-${architecture}.tar`);
      for (const name of [
        `oci-archive:${both}:${version}`,
        `oci-archive:${one}:${version}`,
        `docker-archive:${both}:tocsin:${version}-${architecture}`,
        `docker-archive:${one}:tocsin:${version}`,
      ]) {
        const text = await run('skopeo', ['--override-arch', architecture, 'inspect', '--config', name]);
        assert.equal(JSON.parse(text).architecture, architecture, name);
        assert.equal(JSON.parse(text).config.User, `${USER}:${USER}`, name);
      }
      await run('skopeo', [
        '--override-arch',
        architecture,
        '--insecure-policy',
        'copy',
        `oci-archive:${both}:${version}`,
        `docker-archive:${join(folder, `copied-${architecture}.tar`)}:tocsin:copy`,
      ]);
    }
  });

  test('the roots are small, and nobody gets rights, a shell or a place to write there', async (t) => {
    for (const { root, compressed } of [amd64, arm64]) {
      let unpacked = 0;
      const faults: string[] = [];
      for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
        if (entry.isSymbolicLink()) continue;
        const path = join(entry.parentPath, entry.name);
        const inside = path.slice(root.length);
        const { mode, uid, size } = await stat(path);
        if (entry.isFile()) unpacked += size;
        if ((mode & 0o6000) !== 0) faults.push(`${inside} has set-uid`);
        if (inside !== '/data' && (uid !== 0 || (mode & 0o022) !== 0))
          faults.push(`${inside} can be written`);
        if (entry.isFile() && /\/(sh|bash|dash|busybox|awk|mawk|perl)$/.test(inside))
          faults.push(`${inside} is a shell`);
        if (/\/etc\/(resolv\.conf|hostname|hosts|machine-id)$/.test(inside))
          faults.push(`${inside} is this machine's`);
        if (entry.isFile() && inside !== '/usr/local/bin/node' && (await readFile(path)).includes(REPOSITORY))
          faults.push(`${inside} names the checkout`);
      }
      const [, upgrade = 0] = compressed;
      const total = compressed.reduce((sum, size) => sum + size, 0);
      t.diagnostic(
        `${root}: ${inMegabytes(unpacked)}, compressed ${inMegabytes(total)}, upgrade ${inMegabytes(upgrade)}`,
      );
      assert.deepEqual(faults, []);
      assert.ok(unpacked <= BUDGET.unpacked * MEGABYTE);
      assert.ok(total <= BUDGET.compressed * MEGABYTE);
      assert.ok(upgrade <= BUDGET.upgrade * MEGABYTE);
    }
  });

  test('programs and libraries are those of the platform', async () => {
    for (const [{ root }, machine] of [
      [amd64, MACHINES.amd64],
      [arm64, MACHINES.arm64],
    ] as const) {
      const found = new Set<number>();
      for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const start = await firstBytes(join(entry.parentPath, entry.name));
        if (start.subarray(1, 4).toString() === 'ELF') found.add(start.readUInt16LE(MACHINE_OFFSET));
      }
      assert.deepEqual([...found], [machine]);
    }
  });

  async function dataOf(name: string, user: number, group = user): Promise<string> {
    const path = join(folder, name);
    await mkdir(path, { mode: 0o700 });
    await writeFile(join(path, 'declaration.yaml'), DECLARATION);
    await chmod(join(path, 'declaration.yaml'), 0o644);
    await chown(path, user, group);
    return path;
  }

  interface Started {
    readonly user?: number;
    readonly group?: number;
    readonly command?: readonly string[];
    readonly variables?: readonly string[];
  }

  /** Runs what the configuration of the image says, in namespaces, as process 1 of its own, without capabilities. */
  function start(places: readonly string[], started: Started = {}): RunningProcess {
    const { Env, Entrypoint, Cmd, WorkingDir } = amd64.config;
    const { user = USER, group = user, command = [...Entrypoint, ...Cmd], variables = OF_SERVICE } = started;
    const rights = ['--clear-groups', '--no-new-privs', '--bounding-set=-all'];
    const namespaces = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'];
    const environment = [...Env, ...variables].flatMap((text) => [
      '--setenv',
      ...text.split(/=(.*)/s).slice(0, 2),
    ]);
    return startProcess(
      'setpriv',
      [
        ...[`--reuid=${user}`, `--regid=${group}`, ...rights, 'bwrap', ...namespaces],
        ...['--uid', `${user}`, '--gid', `${group}`, '--as-pid-1', '--die-with-parent'],
        ...[...places, '--proc', '/proc', '--dev', '/dev', '--clearenv', ...environment],
        ...['--chdir', WorkingDir, ...command],
      ],
      { cwd: folder },
    );
  }

  function readOnly(data: string): string[] {
    return ['--ro-bind', amd64.root, '/', '--bind', data, '/data'];
  }

  async function pings(url: string): Promise<number> {
    const reply = await fetch(`${url}/api/v3/checks/`, { headers: { 'X-Api-Key': KEY } });
    const { checks } = (await reply.json()) as { checks: { n_pings: number }[] };
    return checks[0]?.n_pings ?? -1;
  }

  test('the service runs as its user on a root that it cannot write, and keeps its data', {
    skip: unrunnable,
  }, async (t) => {
    const data = await dataOf('data', USER);
    const began = performance.now();
    await using first = start(readOnly(data));
    const url = await listening(first);
    const startMs = Math.round(performance.now() - began);
    const [, mailPort] = await first.output(/, mail on \S+:(\d+) for localhost$/m);

    assert.equal(await (await fetch(url + PING_PATH)).text(), 'OK');
    const resident = await residentOf(await pidOfFirst(first));
    const reply = await fetch(`${url}/api/v3/checks/`, { headers: { 'X-Api-Key': KEY } });
    const { checks } = (await reply.json()) as { checks: { uuid: string }[] };
    await createTransport({ host: '127.0.0.1', port: Number(mailPort), ignoreTLS: true }).sendMail({
      from: 'job@example.org',
      to: `${checks[0]?.uuid}@localhost`,
      subject: 'done',
    });
    await becomes(() => pings(url), 2);
    assert.match(await (await fetch(`${url}/`)).text(), /<div id="root">/);
    await stopped(first, t);

    await using second = start(readOnly(data));
    assert.equal(await pings(await listening(second)), 2);
    await stopped(second, t);
    t.diagnostic(`start ${startMs} ms, resident ${inMegabytes(resident)}`);
    assert.ok(resident <= BUDGET.resident * MEGABYTE);
  });

  /** A signal to process 1 ends it cleanly. */
  async function stopped(service: RunningProcess, t: TestContext): Promise<void> {
    const began = performance.now();
    process.kill(await pidOfFirst(service), 'SIGTERM');
    const exit = await service.exit();
    t.diagnostic(`stop ${Math.round(performance.now() - began)} ms`);
    assert.equal(exit.code, 0, exit.stderr);
    assert.doesNotMatch(exit.stderr, /on no volume/);
  }

  test('it shows a demonstration, and its health check says that it serves', {
    skip: unrunnable,
  }, async (t) => {
    const data = await dataOf('data-of-demo', USER);
    const { Entrypoint, Healthcheck } = amd64.config;
    const variables = [`PORT=${await freePort()}`];
    const [, ...check] = Healthcheck.Test;
    const healths = async () => {
      const codes: (number | null)[] = [];
      for (const command of [check, ['/usr/local/bin/tocsin', 'health']]) {
        await using health = start(readOnly(data), { command, variables });
        codes.push((await health.exit()).code);
      }
      return codes;
    };
    assert.deepEqual(await healths(), [1, 1]);

    const began = performance.now();
    await using demo = start(readOnly(data), { command: [...Entrypoint, 'demo'], variables });
    const [, url = ''] = await demo.output(/listens on (\S+)$/m);
    t.diagnostic(
      `start ${Math.round(performance.now() - began)} ms, resident ${inMegabytes(await residentOf(await pidOfFirst(demo)))}`,
    );

    assert.deepEqual(await healths(), [0, 0]);
    assert.match(await (await fetch(`${url}/`)).text(), /<meta name="tocsin-demo"/);
    await stopped(demo, t);
  });

  test('any other user runs it who can write the data', { skip: unrunnable }, async (t) => {
    const data = await dataOf('data-of-another', 54_321, 0);
    await using service = start(readOnly(data), { user: 54_321, group: 0 });

    const url = await listening(service);

    assert.equal(await (await fetch(url + PING_PATH)).text(), 'OK');
    await stopped(service, t);
  });

  test('a user who cannot write the data is told so in one sentence', { skip: unrunnable }, async () => {
    const data = await dataOf('data-of-root', 0);
    await chmod(data, 0o755);
    await using service = start(readOnly(data));

    const exit = await service.exit();

    assert.equal(exit.code, 1);
    assert.match(exit.stderr, new RegExp(`^user ${USER} cannot write in the folder /data, .+\\n$`));
  });

  test('without a volume it warns that the data goes with the container', { skip: unrunnable }, async () => {
    await writeFile(join(amd64.root, 'data/declaration.yaml'), DECLARATION);
    await using service = start(['--bind', amd64.root, '/']);

    await listening(service);
    process.kill(await pidOfFirst(service), 'SIGTERM');
    const exit = await service.exit();

    assert.equal(exit.code, 0);
    assert.match(exit.stderr, /^The folder \/data is on no volume/m);
  });

  const unemulated =
    (process.env.TEST_EMULATION !== 'yes' && 'TEST_EMULATION=yes asks for it; it takes minutes') ||
    unless(['qemu-aarch64', '--version'], 'qemu-user is not installed');

  test('the program for arm64 serves and takes a ping under emulation', { skip: unemulated }, async () => {
    const data = await dataOf('data-of-arm64', process.getuid?.() ?? 0);
    const { root, config } = arm64;
    const [node = '', ...rest] = [...config.Entrypoint, ...config.Cmd];
    const args = rest.map((word) => (word.startsWith('/app/') ? join(root, word) : word));
    await using service = startProcess('qemu-aarch64', ['-L', root, join(root, node), ...args], {
      cwd: data,
      env: { PORT: '0', DATABASE_URL: 'sqlite:tocsin.db', PROVISION_FILE: 'declaration.yaml' },
    });

    const url = await listening(service);

    assert.equal(await (await fetch(url + PING_PATH)).text(), 'OK');
  });
});

async function run(program: string, args: readonly string[]): Promise<string> {
  await using started = startProcess(program, args, { cwd: REPOSITORY });
  const exit = await started.exit();
  assert.equal(exit.code, 0, exit.stderr);
  return exit.stdout;
}

async function hashOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

async function firstBytes(path: string): Promise<Buffer> {
  await using handle = await open(path);
  const { buffer } = await handle.read(Buffer.alloc(32), 0, 32, 0);
  return buffer;
}

/** The process that bubblewrap has started, as this machine numbers it. */
async function pidOfFirst({ pid }: RunningProcess): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children.trim().split(' ')[0]);
}

/** In bytes. */
async function residentOf(pid: number): Promise<number> {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1_024;
}

function inMegabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}
