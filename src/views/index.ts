import * as channelForms from './channel-forms.ts';
import * as channels from './channels.ts';
import * as checkEditor from './check-editor.ts';
import type { AnyView } from './view.ts';

/** Everything that pages read, by name. */
export const VIEWS = { ...channelForms, ...channels, ...checkEditor };

export type Views = typeof VIEWS;

export const ALL_VIEWS: ReadonlyMap<string, AnyView> = new Map<string, AnyView>(Object.entries(VIEWS));
