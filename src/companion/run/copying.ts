import { write } from 'node:fs';
import type { OutputSource } from './job.ts';

const AGAIN_MS = 5;

/**
 * Copies what a job writes to a descriptor of ours, one piece at a time, so that a slow reader holds the job back. A thread of
 * Node's pool writes: a full pipe does not keep us from passing on signals, and nobody's descriptor is made non-blocking.
 * Where nobody reads any longer, the job's stream is closed, too.
 */
export function copyOutput(
  source: OutputSource,
  descriptor: number,
  keep: (piece: Uint8Array) => void,
): Promise<void> {
  return source.read(async (piece) => {
    keep(piece);
    return writeAll(descriptor, piece);
  });
}

async function writeAll(descriptor: number, piece: Uint8Array): Promise<boolean> {
  for (let rest = piece; rest.length > 0; ) {
    const written = await writeOnce(descriptor, rest);
    if (written === null) return false;
    rest = rest.subarray(written);
  }
  return true;
}

/** Null where nobody reads. */
function writeOnce(descriptor: number, bytes: Uint8Array): Promise<number | null> {
  return new Promise((resolve) => {
    write(descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error === null) resolve(written);
      // Somebody else has made the descriptor non-blocking.
      else if (error.code === 'EAGAIN') setTimeout(() => resolve(0), AGAIN_MS);
      else resolve(null);
    });
  });
}
