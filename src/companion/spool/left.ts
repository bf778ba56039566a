/** A file that a run has left behind. */
export interface Left {
  readonly path: string;
  readonly bytes: number;
  readonly changedMs: number;
}

export function parseLeft(found: object): Left | null {
  const { path, bytes, changedMs } = found as Record<keyof Left, unknown>;
  const isLeft = typeof path === 'string' && typeof bytes === 'number' && typeof changedMs === 'number';
  return isLeft ? { path, bytes, changedMs } : null;
}
