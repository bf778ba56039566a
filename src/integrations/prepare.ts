import type { Fault } from '../lib/fields.ts';
import type { Ports, Prepared } from './kind.ts';
import { type ChannelKind, codeOf } from './lookup.ts';
import type { ServerSettings } from './server-settings.ts';
import type { Source } from './setting.ts';

/** Does what the kind needs once before its first message. Null if it needs nothing. */
export type PrepareSettings = (kind: ChannelKind, values: Source) => Promise<Prepared | Fault> | null;

export function createPreparer(http: Ports['http'], server: ServerSettings): PrepareSettings {
  return (kind, values) => codeOf(kind).prepare?.(values, http, server) ?? null;
}
