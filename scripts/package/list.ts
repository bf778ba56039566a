/**
 * What the two packages have, and how many others come with them: `npm run package:list` writes the lists, and tests compare them.
 * They tell kinds of files by folder and their size in half megabytes, so that they change with what people download and not
 * with every line of code.
 */
import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeClient } from './client-folder.ts';
import { productionOf, ROOT, readLock } from './lock.ts';

export const LIST = join(import.meta.dirname, 'list.txt');
export const CLIENT_LIST = join(import.meta.dirname, 'client-list.txt');

export interface PackedFile {
  /** From the root of the package. */
  readonly path: string;
  readonly size: number;
}

/** Packs a checkout, or tells what it would pack. */
export async function pack(checkout: string, flags: readonly string[] = []): Promise<PackedFile[]> {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--json', '--offline', '--no-update-notifier', ...flags],
    { cwd: checkout, maxBuffer: 2 ** 24 },
  );
  // npm has answered with a list of packages, and with packages by name.
  const packed: Record<string, { files: PackedFile[] }> = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [first] = Object.values(packed);
  if (first === undefined) throw new Error(`npm has packed nothing: ${stdout}`);
  return first.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export function listOf(files: readonly PackedFile[], packages: number): string {
  const sizes = new Map<string, number>();
  for (const { path, size } of files) {
    const kind = kindOf(path);
    sizes.set(kind, (sizes.get(kind) ?? 0) + size);
  }
  const lines = [...sizes].map(([kind, size]) => `${kind}: ${inMegabytes(size)}`).toSorted();
  const total = inMegabytes(sum(files));
  return [`packages: ${packages}`, `own files: ${total}`, ...lines, ''].join('\n');
}

export function sum(files: readonly PackedFile[]): number {
  return files.reduce((total, { size }) => total + size, 0);
}

/** The file itself in the root, else its kind in its folder. The program is one folder, its pages are another. */
function kindOf(path: string): string {
  if (!path.includes('/')) return path;
  const [folder] = /^(dist\/pages|docs(\/[^/]+)?|[^/]+)(?=\/)/.exec(path) ?? [''];
  return `${folder}/**${extname(path)}`;
}

function inMegabytes(bytes: number): string {
  const HALF = 500_000;
  return `at most ${(Math.ceil(bytes / HALF) / 2).toFixed(1)} MB`;
}

if (import.meta.main) {
  const files = await pack(ROOT, ['--dry-run']);
  await writeFile(LIST, listOf(files, productionOf(await readLock()).length));
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tocsin-client-'));
  await makeClient(folder.path);
  await writeFile(CLIENT_LIST, listOf(await pack(folder.path, ['--dry-run']), 0));
}
