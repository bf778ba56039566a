import { isDeepStrictEqual } from 'node:util';
import type { StoredSettings } from '../domain/alert/channel.ts';
import { Fault, type Field, type JsonSchema } from '../lib/fields.ts';
import type { Vault } from '../lib/vault.ts';

/** The form control for a setting. A sentence is a text for which a form has a whole line. */
export type Control =
  | 'text'
  | 'sentence'
  | 'lines'
  | 'number'
  | 'url'
  | 'email'
  | 'flag'
  | 'choice'
  | 'request'
  | 'channels'
  | 'push';

/**
 * One setting of a kind of channel: how it is read, and how a form describes it. A setting without a default is
 * required.
 */
export interface Setting<T> {
  readonly label: string;
  /** A sentence for the person who fills it in. */
  readonly help?: string;
  readonly field: Field<T>;
  readonly control: Control;
  readonly default?: T;
  /** Whether it is sealed when stored and masked when shown. */
  readonly secret?: boolean;
  /** What people who may edit it see of a secret: the parts that are none, and the mask. Absent: the mask alone. */
  shown?(value: NonNullable<T>): NonNullable<T>;
  /**
   * Whether masked parts of the new value may stand for those of the stored one. Absent: always. A secret must not be
   * sent to another address by whoever cannot read it. `all` has the settings together with which it is given and stored.
   */
  mayKeep?(
    given: unknown,
    stored: NonNullable<T>,
    all: { readonly given: Source; readonly stored: Source },
  ): boolean;
  /**
   * Whether the provider itself has to name it, when somebody connects the channel there, or the operator in a file. Nobody
   * can type it: with the account of the operator this service reaches more there than the person may.
   */
  readonly connectedOnly?: boolean;
  /** The possible values with their names for people. */
  readonly choices?: readonly Choice<T>[];
}

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
}

/** The settings of a kind by name, in the order of the form. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

export type ValuesOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

export type Source = Readonly<Record<string, unknown>>;

/**
 * Reads each value by its setting. Returns the values, or the first fault. Names that are not in the table are ignored.
 */
export function readValues<Table extends SettingTable>(
  table: Table,
  source: Source,
): ValuesOf<Table> | Fault {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    const given = Object.hasOwn(source, name) ? source[name] : undefined;
    // Null counts as absent if there is a default.
    const isAbsent = given === undefined || (given === null && setting.default !== undefined);
    if (isAbsent && setting.default === undefined) return new Fault(`${name} is missing`);
    const value = isAbsent ? setting.default : setting.field.read(given, name);
    if (value instanceof Fault) return value;
    values[name] = value;
  }
  // Each value was read by its own setting.
  return values as ValuesOf<Table>;
}

/** The values in their stored form. All secrets are sealed together. */
export function sealValues(table: SettingTable, values: Source, vault: Pick<Vault, 'seal'>): StoredSettings {
  const secrets = pick(values, ([name, value]) => isSecret(table, name, value));
  const open = pick(values, ([name, value]) => !isSecret(table, name, value));
  const isNone = Object.keys(secrets).length === 0;
  return { open, sealed: isNone ? null : vault.seal(JSON.stringify(secrets)) };
}

/** The values before sealing. A secret in plain text takes precedence: an older program wrote it later. */
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

/** Shown in place of a secret that is set. */
export const MASK = '••••••••';

/** The values as they are shown. A secret that is set is replaced by the mask. */
export function maskValues(table: SettingTable, values: Source): Source {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(table, name, value) ? MASK : value]),
  );
}

/** The values as people see them who may edit them: of secrets only what is none. */
export function shownValues(table: SettingTable, values: Source): Source {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isSecret(table, name, value) ? (table[name]?.shown?.(value ?? '') ?? MASK) : value,
    ]),
  );
}

/**
 * Puts stored secrets in the place of masks that were sent back. A mask for which nothing is stored is a fault, and so is
 * one that may not be kept. What is left out is kept like what is masked.
 */
export function keepMasked(table: SettingTable, given: Source, stored: Source): Source | Fault {
  const shown = shownValues(table, stored);
  const values: Record<string, unknown> = { ...given };
  const all = { given: { ...stored, ...given }, stored };
  for (const [name, before] of Object.entries(stored)) {
    if (Object.hasOwn(given, name) || !isSecret(table, name, before) || before === undefined) continue;
    const mayKeep = table[name]?.mayKeep?.(shown[name], before ?? '', all) ?? true;
    if (!mayKeep) return new Fault(`${name} is missing: give it again`);
  }
  for (const [name, value] of Object.entries(given)) {
    if (!isSecret(table, name, value) || !containsMask(value)) continue;
    const before = Object.hasOwn(stored, name) ? stored[name] : undefined;
    const mayKeep = before != null && (table[name]?.mayKeep?.(value, before, all) ?? true);
    const kept = mayKeep ? restored(value, shown[name], before) : value;
    if (containsMask(kept)) return new Fault(`${name} contains a masked value: give the value itself`);
    values[name] = kept;
  }
  return values;
}

/** The value with its masked parts replaced by what is stored there. */
function restored(given: unknown, shown: unknown, stored: unknown): unknown {
  if (isDeepStrictEqual(given, shown)) return stored;
  if (!isMapping(given) || !isMapping(shown) || !isMapping(stored)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      Object.hasOwn(shown, name) ? restored(value, shown[name], stored[name]) : value,
    ]),
  );
}

function containsMask(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(MASK);
  return typeof value === 'object' && value !== null && Object.values(value).some(containsMask);
}

/** The JSON Schema of the settings. */
export function settingsSchema(table: SettingTable): JsonSchema {
  const entries = Object.entries(table);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, setting]) => [name, settingSchema(setting)])),
    required: entries.filter(([, setting]) => setting.default === undefined).map(([name]) => name),
    additionalProperties: false,
  };
}

function settingSchema(setting: Setting<unknown>): JsonSchema {
  const { label, help, field, default: preset, secret = false, connectedOnly = false, choices } = setting;
  const schema = preset === null ? nullable(field.schema) : field.schema;
  return {
    ...schema,
    title: label,
    ...(help !== undefined && { description: help }),
    ...(preset !== undefined && { default: preset }),
    ...(secret && { writeOnly: true }),
    ...(connectedOnly && { readOnly: true }),
    ...(choices !== undefined && {
      oneOf: choices.map(({ value, label: title }) => ({ const: value, title })),
    }),
  };
}

function nullable(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type, 'null'] };
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
