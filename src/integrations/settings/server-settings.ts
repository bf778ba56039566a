import type { EnvSettingTable, EnvValues } from '../../lib/env-setting.ts';
import { MASK } from '../kind/setting.ts';
import * as KINDS from '../kinds.ts';

type Kinds = typeof KINDS;

type ServerTable<Name extends keyof Kinds> = Kinds[Name]['server'];

type Name = { [Kind in keyof Kinds]: keyof ServerTable<Kind> }[keyof Kinds];

/** The table of every kind that has the setting declares it in the same way. */
type ServerTables = {
  readonly [Each in Name]: {
    [Kind in keyof Kinds]: Each extends keyof ServerTable<Kind> ? ServerTable<Kind>[Each] : never;
  }[keyof Kinds];
};

// Object.assign keeps no names in its type.
const tables: unknown = Object.assign({}, ...Object.values(KINDS).map(({ server }) => server));

/** All settings of operators for kinds, in the environment. */
export const SERVER_SETTINGS = tables as ServerTables satisfies EnvSettingTable;

export type ServerSettings = EnvValues<typeof SERVER_SETTINGS>;

const SECRETS: readonly string[] = Object.entries<EnvSettingTable[string]>(SERVER_SETTINGS)
  .filter(([, { secret = false }]) => secret)
  .map(([name]) => name);

/** The secrets among the settings of the operator. */
export function serverSecrets(server: ServerSettings): readonly unknown[] {
  const values: Readonly<Record<string, unknown>> = server;
  return SECRETS.map((name) => values[name]);
}

/** The operator's settings with their secrets masked. */
export function maskedServer(server: ServerSettings): ServerSettings {
  const masked = Object.entries(server).map(([name, value]) => [
    name,
    SECRETS.includes(name) && value !== null ? MASK : value,
  ]);
  // Secrets are texts, and stay texts.
  return Object.fromEntries(masked) as ServerSettings;
}
