/**
 * Makes the image for containers: `npm run image [-- --update | --snapshot] [--to FOLDER]`. It writes an archive for each
 * platform and one for both. The same commit gives the same bytes.
 *
 * `--update` takes the newest packages of Debian and writes them into `image/packages.lock`; `--snapshot` takes those of the
 * lock from Debian's snapshots. It needs mmdebstrap and binutils for both processors.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SERVICE_FLAGS } from '../../bin/runtime.js';
import { ROOT, readLock } from '../package/lock.ts';
import { type DebianPackage, differences, formatLock, parseLock } from './debian-lock.ts';
import {
  type Architecture,
  archiveOf,
  type ContainerConfig,
  dateOf,
  type Image,
  imageOf,
  type Layer,
  layerOf,
} from './oci.ts';
import { NODE, programEntries, runtimeEntry } from './program.ts';
import { sourcesAt, systemEntries, USER, unpackDebian } from './root.ts';
import { folder } from './tar.ts';

const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64'];
const LOCK_FILE = join(ROOT, 'image/packages.lock');
const SECOND = 1_000_000_000;

export function containerConfig(version: string, seconds: number): ContainerConfig {
  return {
    User: `${USER}:${USER}`,
    Env: ['PATH=/usr/local/bin', 'DATABASE_URL=sqlite:/data/tocsin.db'],
    Entrypoint: [`/${NODE}`, ...SERVICE_FLAGS, '/app/dist/cli/index.js'],
    Cmd: ['serve'],
    WorkingDir: '/data',
    Volumes: { '/data': {} },
    ExposedPorts: { '8000/tcp': {}, '2525/tcp': {} },
    StopSignal: 'SIGTERM',
    Healthcheck: {
      Test: ['CMD', `/${NODE}`, '/app/dist/health.js'],
      Interval: 30 * SECOND,
      Timeout: 5 * SECOND,
      StartPeriod: 60 * SECOND,
      Retries: 3,
    },
    Labels: {
      'org.opencontainers.image.title': 'Tocsin',
      'org.opencontainers.image.description':
        'Watches jobs that should run on time, and rings when one does not.',
      'org.opencontainers.image.licenses': 'MIT',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.created': dateOf(seconds),
    },
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { update: { type: 'boolean' }, snapshot: { type: 'boolean' }, to: { type: 'string' } },
  });
  const lock = await readLock();
  const seconds = Number(
    process.env.SOURCE_DATE_EPOCH ??
      execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }),
  );
  const target = values.to ?? join(ROOT, 'dist-image');
  await using workshop = await mkdtempDisposable(join(tmpdir(), 'tocsin-image-'));

  const locked = values.update ? null : parseLock(await readFile(LOCK_FILE, 'utf8'));
  const sources = sourcesAt(values.snapshot && locked !== null ? locked.moment : null);
  const found: DebianPackage[] = [];
  for (const architecture of ARCHITECTURES)
    found.push(...(await unpackDebian(architecture, join(workshop.path, architecture), sources)));
  if (locked === null) {
    const moment = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
    await mkdir(join(ROOT, 'image'), { recursive: true });
    await writeFile(LOCK_FILE, formatLock({ moment, packages: found }));
  } else refuse(differences(locked.packages, found));

  const shared = await Promise.all([
    layerOf('program', await programEntries(lock), seconds),
    layerOf('data', [folder('data', 0o700, USER)], seconds),
  ]);
  const config = containerConfig(lock.version, seconds);
  const images: Image[] = [];
  for (const architecture of ARCHITECTURES) {
    const runtimeWorkshop = join(workshop.path, `${architecture}-runtime`);
    await mkdir(runtimeWorkshop);
    const runtime = await runtimeEntry(lock, architecture, runtimeWorkshop);
    const system = [...(await systemEntries(join(workshop.path, architecture))), runtime];
    const layers = [await layerOf('system and runtime', system, seconds), ...shared];
    images.push(imageOf(architecture, layers, config, seconds));
    console.log(`${architecture}: ${layers.map(described).join(', ')}`);
  }

  await mkdir(target, { recursive: true });
  const write = (suffix: string, of: readonly Image[]) =>
    writeFile(
      join(target, `tocsin-${lock.version}${suffix}.tar`),
      archiveOf(of, 'tocsin', lock.version, seconds),
    );
  await write('', images);
  for (const image of images) await write(`-${image.architecture}`, [image]);
}

function refuse(faults: readonly string[]): void {
  if (faults.length === 0) return;
  throw new Error(
    `Debian's packages differ from image/packages.lock:\n${faults.map((fault) => `  ${fault}`).join('\n')}\n` +
      'Take the newer ones with `npm run image -- --update`, or the locked ones with `npm run image -- --snapshot`.',
  );
}

function described({ what, unpackedBytes, blob }: Layer): string {
  const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${what} ${megabytes(unpackedBytes)} (${megabytes(blob.content.length)} compressed)`;
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
