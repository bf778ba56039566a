import * as checkEditor from './check-editor.ts';
import type { AnyView } from './view.ts';

/** Everything that pages read, by name. */
export const VIEWS = { ...checkEditor };

export type Views = typeof VIEWS;

export const ALL_VIEWS: ReadonlyMap<string, AnyView> = new Map<string, AnyView>(Object.entries(VIEWS));
