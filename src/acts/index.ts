import type { AnyAct } from './act.ts';
import * as channels from './channels.ts';
import * as checks from './checks.ts';
import * as connections from './connections.ts';

/** Everything that people do on pages, by name. */
export const ACTS = { ...channels, ...checks, ...connections };

export type Acts = typeof ACTS;

export const ALL_ACTS: ReadonlyMap<string, AnyAct> = new Map<string, AnyAct>(Object.entries(ACTS));
