import type { StoredSettings } from '../domain/channel.ts';
import { Fault, type Field } from '../lib/fields.ts';
import type { Vault } from '../lib/vault.ts';

/** How a form asks for a setting. */
export type Control = 'text' | 'url' | 'email' | 'flag' | 'choice' | 'request' | 'channels';

/**
 * One setting of a kind of channel: how it is read, and what a form says of it. A setting without a default has to be
 * given.
 */
export interface Setting<T> {
  readonly label: string;
  /** A sentence for whoever fills it in. */
  readonly help?: string;
  readonly field: Field<T>;
  readonly control: Control;
  readonly default?: T;
  /** Sealed where it is stored, and masked where it is shown. */
  readonly secret?: boolean;
  /** What may be chosen, and what people call it. */
  readonly choices?: readonly Choice<T>[];
}

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
}

/** The settings of a kind by their names; their order is that of a form. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

export type ValuesOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

export type Source = Readonly<Record<string, unknown>>;

/** The values, each read by its setting, or the first fault. Names that are not in the table are passed over. */
export function readValues<Table extends SettingTable>(
  table: Table,
  source: Source,
): ValuesOf<Table> | Fault {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    const given = Object.hasOwn(source, name) ? source[name] : undefined;
    // Null stands for nothing wherever there is a default.
    const isAbsent = given === undefined || (given === null && setting.default !== undefined);
    if (isAbsent && setting.default === undefined) return new Fault(`${name} is missing`);
    const value = isAbsent ? setting.default : setting.field.read(given, name);
    if (value instanceof Fault) return value;
    values[name] = value;
  }
  // Each value was read by the setting of its name.
  return values as ValuesOf<Table>;
}

/** The values as they are stored: secrets are sealed, all together. */
export function sealValues(table: SettingTable, values: Source, vault: Pick<Vault, 'seal'>): StoredSettings {
  const secrets = pick(values, ([name, value]) => isSecret(table, name, value));
  const open = pick(values, ([name, value]) => !isSecret(table, name, value));
  const isNone = Object.keys(secrets).length === 0;
  return { open, sealed: isNone ? null : vault.seal(JSON.stringify(secrets)) };
}

/** The values as they were before sealing. What stands in the clear was written later, by an older program. */
export function unsealValues({ open, sealed }: StoredSettings, vault: Pick<Vault, 'unseal'>): Source | Fault {
  if (!isMapping(open)) return new Fault('not a mapping');
  if (sealed === null) return open;
  const text = vault.unseal(sealed);
  if (text === null) return new Fault('sealed under another SECRET_KEY');
  const secrets: unknown = JSON.parse(text);
  return isMapping(secrets) ? { ...secrets, ...open } : new Fault('not a mapping');
}

export function hasSecretInClear(table: SettingTable, open: Source): boolean {
  return Object.entries(open).some(([name, value]) => isSecret(table, name, value));
}

/** What stands for a secret that is there. */
export const MASK = '••••••••';

/** The values as they are shown: a secret that is there is only said to be there. */
export function maskValues(table: SettingTable, values: Source): Source {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(table, name, value) ? MASK : value]),
  );
}

function isSecret(table: SettingTable, name: string, value: unknown): boolean {
  return Object.hasOwn(table, name) && table[name]?.secret === true && value !== null;
}

function pick(values: Source, isPicked: (entry: [string, unknown]) => boolean): Source {
  return Object.fromEntries(Object.entries(values).filter(isPicked));
}

function isMapping(value: unknown): value is Source {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
