import type { Kind } from './kind/kind.ts';
import * as KINDS from './kinds.ts';

export type ChannelKind = keyof typeof KINDS;

// Only the kind knows the types of its settings. Other code treats them as unknown.
const listed: Readonly<Record<ChannelKind, Kind>> = { ...KINDS };
const kinds: Readonly<Record<string, Kind>> = listed;

export const CHANNEL_KINDS: readonly string[] = Object.keys(kinds);

export function kindOf(kind: string): Kind | null {
  return Object.hasOwn(kinds, kind) ? (kinds[kind] ?? null) : null;
}

export function codeOf(kind: ChannelKind): Kind {
  return listed[kind];
}

export function isChannelKind(kind: string): kind is ChannelKind {
  return kindOf(kind) !== null;
}

/** Whether the settings of the kind are commands that this machine runs. */
export function runsCommands(kind: ChannelKind): boolean {
  return codeOf(kind).runsCommands === true;
}

/** The name of the kind that people see. */
export function labelOf(kind: string): string {
  return kindOf(kind)?.label ?? kind;
}
