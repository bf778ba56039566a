import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** About what a batch of pings adds to SQLite's log. */
const BATCH_BYTES = 400 * 1024;
/** The file begins anew at this length, as the log does. */
const FILE_BYTES = 160 * 1024 * 1024;
const PAUSE_MILLIS = 5;

/**
 * Writes and syncs a batch, again and again for so long, with nothing else to do: no ping can be answered sooner.
 * Returns milliseconds, ascending.
 */
export async function measureDisk(folder: string, seconds: number): Promise<number[]> {
  const path = join(folder, 'disk-probe');
  const bytes = Buffer.alloc(BATCH_BYTES, 'x');
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const file = await open(path, 'w');
  try {
    for (let position = 0; performance.now() < end; position = (position + BATCH_BYTES) % FILE_BYTES) {
      const begin = performance.now();
      await file.write(bytes, 0, BATCH_BYTES, position);
      await file.sync();
      times.push(performance.now() - begin);
      await new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MILLIS));
    }
  } finally {
    await file.close();
    await rm(path);
  }
  return times.sort((one, other) => one - other);
}
