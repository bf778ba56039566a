import type { Fault } from '../../lib/fields.ts';
import type { Ports, Prepared } from '../kind/kind.ts';
import type { Source } from '../kind/setting.ts';
import { type ChannelKind, codeOf } from '../lookup.ts';
import type { ServerSettings } from './server-settings.ts';

/** The kind's preparation before its first message. Null if it needs none. */
export type PrepareSettings = (kind: ChannelKind, values: Source) => (() => Promise<Prepared | Fault>) | null;

export function createPreparer(http: Ports['http'], server: ServerSettings): PrepareSettings {
  return (kind, values) => {
    const { prepare } = codeOf(kind);
    return prepare === undefined ? null : () => prepare(values, http, server);
  };
}
