import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startThread } from '../lib/supervised-thread.ts';
import { resultOf } from '../lib/thread-task.ts';
import type { Declaration } from '../services/provisioning/declaration.ts';
import { PROVISION_LIMITS } from './document.ts';
import { ProvisionFileError } from './located.ts';
import { type FileEntries, joinFiles, parseProvisionFiles } from './parse.ts';
import type { FilesToParse } from './parse-thread.ts';
import type { FilePart } from './part.ts';
import { Lines, type ProvisionText } from './texts.ts';
import type { Variables } from './variables.ts';

/**
 * Characters of files that are parsed here. Parsing takes a hundred times the memory of the file. A thread gives all of it
 * back.
 */
const MAX_LENGTH_HERE = 50_000;
/** Bytes that are read at once. */
const BLOCK_BYTES = 64 * 1024;

/** Reads the declaration of a file, or of all files in and below a folder. Throws every fault that can be found without the database. */
export async function readDeclaration(
  path: string,
  variables: Variables,
  part: FilePart = 'all',
): Promise<{ readonly declaration: Declaration; readonly lines: Lines }> {
  const texts = await readTexts(path);
  const lines = new Lines(texts);
  const length = texts.reduce((sum, { content }) => sum + content.length, 0);
  if (length <= MAX_LENGTH_HERE) return { declaration: parseProvisionFiles(texts, variables, part), lines };
  const numbered = texts.map((text, index) => ({ ...text, before: lines.before(index) }));
  const parsed = await parseInThread({ texts: numbered, variables, part });
  return { declaration: joinFiles(parsed, lines, part), lines };
}

async function parseInThread(toParse: FilesToParse): Promise<readonly FileEntries[]> {
  const worker = startThread('parse-thread', import.meta.url, { workerData: { toParse } });
  const parsed: FileEntries[] = [];
  await resultOf<null, FileEntries>(worker, {
    task: 'parses the files',
    onProgress: (entries) => void parsed.push(entries),
  });
  return parsed;
}

async function readTexts(path: string): Promise<ProvisionText[]> {
  if (!(await stat(path)).isDirectory()) return [{ path, content: await readProvisionFile(path) }];
  const texts: ProvisionText[] = [];
  let length = 0;
  for (const file of (await filesIn(path)).toSorted()) {
    const content = await readProvisionFile(file);
    length += content.length;
    if (length > PROVISION_LIMITS.maxFolderBytes)
      throw new ProvisionFileError(new Lines([{ path: file, content }]), [
        { line: 1, reason: `the files are longer than ${PROVISION_LIMITS.maxFolderBytes} bytes together` },
      ]);
    texts.push({ path: file, content });
  }
  // Faults of an empty folder name it.
  return texts.length === 0 ? [{ path, content: '' }] : texts;
}

/**
 * The files `*.yaml` and `*.yml` in and below the folder. Hidden ones and backups of editors are left out: a ConfigMap of
 * Kubernetes has its files twice, once below the hidden `..data`.
 */
async function filesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name.endsWith('~')) continue;
    if (entry.isDirectory()) found.push(...(await filesIn(path)));
    else if (/\.ya?ml$/.test(entry.name) && (await stat(path)).isFile()) found.push(path);
  }
  return found;
}

/**
 * Reads the text of the file. It reads to the end or to the limit, and ignores the size: the file may be a pipe or a
 * device.
 */
export async function readProvisionFile(path: string): Promise<string> {
  const { maxBytes } = PROVISION_LIMITS;
  const file = await open(path);
  try {
    const bytes = await readUpTo(file, maxBytes + 1);
    if (bytes.length <= maxBytes) return bytes.toString('utf8');
  } finally {
    await file.close();
  }
  throw new ProvisionFileError(new Lines([{ path, content: '' }]), [
    { line: 1, reason: `the file is longer than ${maxBytes} bytes` },
  ]);
}

async function readUpTo(file: FileHandle, limit: number): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let length = 0;
  while (length < limit) {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, limit - length));
    const { bytesRead } = await file.read(block, 0, block.length, null);
    if (bytesRead === 0) break;
    blocks.push(block.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(blocks);
}
