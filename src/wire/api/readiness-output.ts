import type { Ailment } from '../../domain/vitals.ts';

/** Whether a node can be relied on, and what is wrong with it. */
export interface ReadinessJson {
  ready: boolean;
  reasons: Ailment[];
}

export function readinessJson(reasons: readonly Ailment[]): ReadinessJson {
  return { ready: reasons.length === 0, reasons: [...reasons] };
}
