import type { LiveEventJson } from '../../../src/wire/dashboard/live-output.ts';

/** Tabs ask the worker for events, and say when they have enough. */
export type FromTab = { readonly address: string; readonly lastEventId: string | null } | 'leave';

export type ToTab = { readonly event: LiveEventJson; readonly id: string } | 'failed';
