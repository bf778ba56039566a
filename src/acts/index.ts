import type { AnyAct } from './act.ts';
import * as channels from './channels.ts';
import * as checks from './checks.ts';
import * as connections from './connections.ts';
import * as projects from './projects.ts';
import * as team from './team.ts';

/** Everything that people do on pages, by name. */
export const ACTS = { ...channels, ...checks, ...connections, ...projects, ...team };

export type Acts = typeof ACTS;

export const ALL_ACTS: ReadonlyMap<string, AnyAct> = new Map<string, AnyAct>(Object.entries(ACTS));
