import { createHash } from 'node:crypto';

/** A file that a run has left behind. */
export interface Left {
  readonly path: string;
  readonly bytes: number;
  readonly changedMs: number;
}

/** One file for what matches one pattern. */
export const leftName = (pattern: string): string =>
  createHash('sha256').update(pattern).digest('hex').slice(0, 16);

export function parseLeft(found: object): Left | null {
  const { path, bytes, changedMs } = found as Record<keyof Left, unknown>;
  const isLeft = typeof path === 'string' && typeof bytes === 'number' && typeof changedMs === 'number';
  return isLeft ? { path, bytes, changedMs } : null;
}
