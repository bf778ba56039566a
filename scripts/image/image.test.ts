import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type DebianPackage, differences, formatLock, parseLock } from './debian-lock.ts';
import { containerConfig } from './index.ts';
import { archiveOf, imageOf, layerOf } from './oci.ts';
import { type Entry, file, folder, link, tar } from './tar.ts';

const SECONDS = 1_700_000_000;
const LONG_PATH = `app/node_modules/${'long-name/'.repeat(9)}file.js`;
const ENTRIES: readonly Entry[] = [
  file('usr/bin/program', 'x'.repeat(600), 0o755),
  folder('data', 0o700, 10_001),
  link('bin', 'usr/bin'),
  file(LONG_PATH, ''),
];

/** What tar itself reads in an archive. */
function listed(archive: Uint8Array): string[] {
  const env = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' };
  const text = execFileSync('tar', ['-tvf', '-', '--numeric-owner'], {
    input: archive,
    encoding: 'utf8',
    env,
  });
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ +/g, ' '));
}

test('an archive holds entries with their rights, owners and the one date, and the folders above them', () => {
  const lines = listed(tar(ENTRIES, SECONDS));

  const date = '2023-11-14 22:13';
  assert.deepEqual(
    lines.filter((line) => !line.includes('long-name')),
    [
      `drwxr-xr-x 0/0 0 ${date} app/`,
      `drwxr-xr-x 0/0 0 ${date} app/node_modules/`,
      `lrwxrwxrwx 0/0 0 ${date} bin -> usr/bin`,
      `drwx------ 10001/10001 0 ${date} data/`,
      `drwxr-xr-x 0/0 0 ${date} usr/`,
      `drwxr-xr-x 0/0 0 ${date} usr/bin/`,
      `-rwxr-xr-x 0/0 600 ${date} usr/bin/program`,
    ],
  );
  assert.equal(lines.filter((line) => line.endsWith(` ${LONG_PATH}`)).length, 1);
});

test('the order of entries does not change an archive', () => {
  assert.deepEqual(tar(ENTRIES, SECONDS), tar(ENTRIES.toReversed(), SECONDS));
});

test('a path that does not fit into an archive is refused', () => {
  assert.throws(() => tar([file('x'.repeat(300), '')], SECONDS), /does not fit/);
});

async function imageFor(architecture: 'amd64' | 'arm64') {
  const layers = [
    await layerOf('program', ENTRIES, SECONDS),
    await layerOf('data', [folder('data')], SECONDS),
  ];
  return imageOf(architecture, layers, containerConfig('1.2.3', SECONDS), SECONDS);
}

/** A file of an archive. */
function contentOf(archive: Uint8Array, path: string): Buffer {
  return execFileSync('tar', ['-xOf', '-', path], { input: archive });
}

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string };
}

test('the index of both platforms leads by digests to manifests, configurations and layers', async () => {
  const archive = archiveOf([await imageFor('amd64'), await imageFor('arm64')], 'tocsin', '1.2.3', SECONDS);
  const read = ({ digest, size }: Descriptor) => {
    const content = contentOf(archive, `blobs/${digest.replace(':', '/')}`);
    assert.equal(content.length, size);
    return content;
  };
  const readJson = (descriptor: Descriptor) => JSON.parse(read(descriptor).toString());

  const [top] = JSON.parse(contentOf(archive, 'index.json').toString()).manifests;
  const platforms: Descriptor[] = readJson(top).manifests;

  assert.deepEqual(
    platforms.map(({ platform }) => platform?.architecture),
    ['amd64', 'arm64'],
  );
  for (const each of platforms) {
    const manifest = readJson(each);
    const config = readJson(manifest.config);
    assert.equal(config.architecture, each.platform?.architecture);
    assert.equal(config.rootfs.diff_ids.length, 2);
    assert.deepEqual(gunzipSync(read(manifest.layers[0])), tar(ENTRIES, SECONDS));
  }
});

test('Docker’s list names each platform by a tag, and one platform by the version alone', async () => {
  const [one, other] = [await imageFor('amd64'), await imageFor('arm64')];
  const tagsOf = (archive: Uint8Array) =>
    JSON.parse(contentOf(archive, 'manifest.json').toString()).flatMap(
      ({ RepoTags }: { RepoTags: string[] }) => RepoTags,
    );

  assert.deepEqual(tagsOf(archiveOf([one, other], 'tocsin', '1.2.3', SECONDS)), [
    'tocsin:1.2.3-amd64',
    'tocsin:1.2.3-arm64',
  ]);
  assert.deepEqual(tagsOf(archiveOf([one], 'tocsin', '1.2.3', SECONDS)), ['tocsin:1.2.3']);
});

test('a container runs the service as its own user, in the folder of its data, and is asked how it is', () => {
  const config = containerConfig('1.2.3', SECONDS);

  assert.equal(config.User, '10001:10001');
  assert.deepEqual(
    [...config.Entrypoint, ...config.Cmd],
    ['/usr/local/bin/node', '--max-semi-space-size=8', '/app/dist/cli/index.js', 'serve'],
  );
  assert.ok(config.Env.includes('DATABASE_URL=sqlite:/data/tocsin.db'));
  assert.deepEqual(config.Healthcheck.Test, ['CMD', '/usr/local/bin/node', '/app/dist/health.js']);
});

const LIBC: DebianPackage = {
  architecture: 'amd64',
  name: 'libc6',
  version: '2.41-12',
  sha256: 'a'.repeat(64),
};
const AWK: DebianPackage = { ...LIBC, name: 'mawk' };

test('the lock of Debian’s packages is read as it was written', () => {
  const lock = { moment: '20261117T120000Z', packages: [LIBC, AWK] };

  assert.deepEqual(parseLock(formatLock(lock)), lock);
  assert.throws(() => parseLock('moment 20261117T120000Z\namd64 libc6 2.41 abc\n'), /no package: libc6/);
});

test('a package that differs from the lock is named', () => {
  assert.deepEqual(differences([LIBC, AWK], [AWK, LIBC]), []);
  assert.deepEqual(differences([LIBC], [{ ...LIBC, version: '2.41-13' }, AWK]), [
    'libc6 for amd64 is 2.41-13, and 2.41-12 in the lock',
    'mawk for amd64 is not in the lock',
  ]);
  assert.deepEqual(differences([LIBC, AWK], [{ ...LIBC, sha256: 'b'.repeat(64) }]), [
    'libc6 for amd64 2.41-12 has other bytes than in the lock',
    'mawk for amd64 is in the lock, and Debian did not bring it',
  ]);
});
