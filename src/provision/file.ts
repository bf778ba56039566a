import { type FileHandle, open } from 'node:fs/promises';
import { PROVISION_LIMITS } from './document.ts';
import { ProvisionFileError } from './located.ts';

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
