import { readFile } from 'node:fs/promises';

// https://sqlite.org/fileformat2.html#walformat
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SALT_BYTES = 8;

/** Counts the commits in the write-ahead log of a database. The last frame of each says how large the database is. */
export async function countCommits(path: string): Promise<number> {
  const log = await readFile(`${path}-wal`);
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const salt = log.subarray(16, 16 + SALT_BYTES);
  let count = 0;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    const isOfThisLog = log.subarray(at + 8, at + 8 + SALT_BYTES).equals(salt);
    if (isOfThisLog && log.readUInt32BE(at + 4) > 0) count++;
  }
  return count;
}
