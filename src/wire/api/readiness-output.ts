import type { Ailment } from '../../domain/vitals.ts';

/** Whether a node is ready, and the reasons if it is not. */
export type ReadinessJson = ReturnType<typeof readinessJson>;

export function readinessJson(reasons: readonly Ailment[]) {
  return { ready: reasons.length === 0, reasons: [...reasons] };
}
