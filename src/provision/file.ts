import { type FileHandle, open } from 'node:fs/promises';
import { startThread } from '../lib/supervised-thread.ts';
import { resultOf } from '../lib/thread-task.ts';
import type { Declaration } from '../services/provisioning/declaration.ts';
import { PROVISION_LIMITS } from './document.ts';
import { ProvisionFileError } from './located.ts';
import { parseProvisionFile } from './parse.ts';
import type { FileToParse, ParsedFile } from './parse-thread.ts';

/**
 * Characters of a file that is parsed here. Parsing takes a hundred times the memory of the file. A thread gives all of it
 * back.
 */
const MAX_LENGTH_HERE = 50_000;

/** Reads the declaration. Throws every fault that can be found without the database. */
export async function readDeclaration(path: string): Promise<Declaration> {
  const content = await readProvisionFile(path);
  if (content.length <= MAX_LENGTH_HERE) return parseProvisionFile(path, content);
  const parsed = await parseInThread({ path, content });
  if ('faults' in parsed) throw new ProvisionFileError(path, parsed.faults);
  return parsed.declaration;
}

function parseInThread(toParse: FileToParse): Promise<ParsedFile> {
  const worker = startThread('parse-thread', import.meta.url, { workerData: { toParse } });
  return resultOf(worker, { task: 'parses the file' });
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
  throw new ProvisionFileError(path, [{ line: 1, reason: `the file is longer than ${maxBytes} bytes` }]);
}

async function readUpTo(file: FileHandle, limit: number): Promise<Buffer> {
  const block = Buffer.alloc(limit);
  let length = 0;
  while (length < limit) {
    const { bytesRead } = await file.read(block, length, limit - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return block.subarray(0, length);
}
