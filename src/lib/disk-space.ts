import { statfs } from 'node:fs/promises';

/** The room on the volume of a file, as far as this process may use it. */
export async function diskSpace(path: string): Promise<{ freeBytes: number; totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
