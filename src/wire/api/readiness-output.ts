import type { Ailment } from '../../domain/vitals.ts';

/** Whether a node is ready, and the reasons if it is not. */
export interface ReadinessJson {
  ready: boolean;
  reasons: Ailment[];
}

export function readinessJson(reasons: readonly Ailment[]): ReadinessJson {
  return { ready: reasons.length === 0, reasons: [...reasons] };
}
