import { readFile } from 'node:fs/promises';
import { zstdDecompressSync } from 'node:zlib';

/** The lines of an archive between the first and the last. */
export async function contentOf(path: string): Promise<string[]> {
  const lines = zstdDecompressSync(await readFile(path))
    .toString('utf8')
    .split('\n');
  return lines.slice(1, -2);
}
