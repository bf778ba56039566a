/** The files of the system: packages of Debian, unpacked. None of their scripts runs, so the processor may be another one. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { DebianPackage } from './debian-lock.ts';
import type { Architecture } from './oci.ts';
import { type Entry, file, folder, link } from './tar.ts';

const SUITE = 'trixie';
const PACKAGES = ['base-files', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];

/** Who runs the service, and owns its data. */
export const USER = 10_001;

/** Everything else, such as awk, conversions of character sets and the lists of apt, stays out. */
const KEPT =
  /^((bin|sbin|lib|lib64)$|usr\/lib(64)?\/(?!.*\/gconv(\/|$))|usr\/share\/(doc\/(?!mawk)[^/]+\/copyright$|common-licenses\/)|etc\/(debian_version|host\.conf|os-release|ld\.so\.conf\.d\/.+)$)/;

const OWN_FILES: readonly Entry[] = [
  file('etc/passwd', `root:x:0:0:root:/:/nologin\ntocsin:x:${USER}:${USER}:Tocsin:/data:/nologin\n`),
  file('etc/group', `root:x:0:\ntocsin:x:${USER}:\n`),
  file('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
  // Runtimes mount something there.
  ...['dev', 'proc', 'run', 'sys', 'tmp'].map((path) => folder(path)),
];

/** Debian's mirrors, or the state of all of them at a moment. */
export function sourcesAt(moment: string | null): string[] {
  const [main, security] =
    moment === null
      ? ['http://deb.debian.org/debian', 'http://deb.debian.org/debian-security']
      : ['debian', 'debian-security'].map((name) => `https://snapshot.debian.org/archive/${name}/${moment}`);
  return [
    `deb ${main} ${SUITE} main`,
    `deb ${main} ${SUITE}-updates main`,
    `deb ${security} ${SUITE}-security main`,
  ];
}

export async function unpackDebian(
  architecture: Architecture,
  target: string,
  sources: readonly string[],
): Promise<DebianPackage[]> {
  await promisify(execFile)(
    'mmdebstrap',
    [
      '--variant=extract',
      `--architectures=${architecture}`,
      `--include=${PACKAGES.join(',')}`,
      // The files of the packages are needed for their hashes.
      '--skip=cleanup/apt',
      SUITE,
      target,
      ...sources,
    ],
    { maxBuffer: 2 ** 24 },
  );
  const archives = join(target, 'var/cache/apt/archives');
  const names = (await readdir(archives)).filter((name) => name.endsWith('.deb')).toSorted();
  return Promise.all(
    names.map(async (fileName) => {
      const [name = '', version = ''] = fileName.split('_');
      const sha256 = createHash('sha256')
        .update(await readFile(join(archives, fileName)))
        .digest('hex');
      return { architecture, name, version: decodeURIComponent(version), sha256 };
    }),
  );
}

export async function systemEntries(target: string): Promise<Entry[]> {
  return [...(await entriesIn(target, '', (path) => KEPT.test(path))), ...OWN_FILES];
}

/** Files and links of a folder, with the rights that everybody's have: those of this machine do not show. */
export async function entriesIn(
  source: string,
  prefix: string,
  isKept: (path: string) => boolean,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const path of pathsIn(source)) {
    const found = relative(source, path);
    if (!isKept(found)) continue;
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) entries.push(link(join(prefix, found), await readlink(path)));
    else if (stats.isFile())
      entries.push(file(join(prefix, found), await readFile(path), stats.mode & 0o111 ? 0o755 : 0o644));
  }
  return entries;
}

/** All that is in a folder. Links are not followed, as `readdir` does: one of Debian's leads to the open files of this process. */
async function* pathsIn(source: string): AsyncIterable<string> {
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const path = join(source, entry.name);
    yield path;
    if (entry.isDirectory()) yield* pathsIn(path);
  }
}
