import type { AnyAct } from './act.ts';
import * as checks from './checks.ts';

/** Everything that people do on pages, by name. */
export const ACTS = { ...checks };

export type Acts = typeof ACTS;

export const ALL_ACTS: ReadonlyMap<string, AnyAct> = new Map<string, AnyAct>(Object.entries(ACTS));
