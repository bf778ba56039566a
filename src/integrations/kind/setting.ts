import type { StoredSettings } from '../../domain/alert/channel.ts';
import { Fault, type Field, type JsonSchema } from '../../lib/fields.ts';
import type { Vault } from '../../lib/vault.ts';

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
  | 'push'
  | 'calendar';

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
  /** The editor's view of a secret: its public parts, and the mask. Absent: the mask alone. */
  shown?(value: NonNullable<T>): NonNullable<T>;
  /**
   * The place of the address to which the secret is sent: another setting, or a part of this one. The secret is kept
   * only for the same address. Absent: the settings do not say where it is sent.
   */
  readonly sentTo?: { readonly setting: string } | { readonly part: string };
  /**
   * Whether the provider itself has to name it, when somebody connects the channel there, or the operator in a file. Nobody
   * can type it: with the account of the operator this service reaches more there than the person may.
   */
  readonly connectedOnly?: boolean;
  /** Whether a form shows it below all others, among what few people need. */
  readonly isAdvanced?: boolean;
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

/** The values before sealing. */
export function unsealValues({ open, sealed }: StoredSettings, vault: Pick<Vault, 'unseal'>): Source | Fault {
  if (!isMapping(open)) return new Fault('not a mapping');
  if (sealed === null) return open;
  const text = vault.unseal(sealed);
  if (text === null) return new Fault('sealed under another SECRET_KEY');
  const secrets: unknown = JSON.parse(text);
  return isMapping(secrets) ? { ...secrets, ...open } : new Fault('not a mapping');
}

/** Shown in place of a secret that is set. */
export const MASK = '••••••••';

/** The values as they are shown. A secret that is set is replaced by the mask. */
export function maskValues(table: SettingTable, values: Source): Source {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(table, name, value) ? MASK : value]),
  );
}

/** The values for their editors. Secrets are masked; their public parts, such as the host of a URL, are shown. */
export function shownValues(table: SettingTable, values: Source): Source {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isSecret(table, name, value) ? (table[name]?.shown?.(value ?? '') ?? MASK) : value,
    ]),
  );
}

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

export function isSecret(table: SettingTable, name: string, value: unknown): boolean {
  return Object.hasOwn(table, name) && table[name]?.secret === true && value !== null;
}

function pick(values: Source, isPicked: (entry: [string, unknown]) => boolean): Source {
  return Object.fromEntries(Object.entries(values).filter(isPicked));
}

export function isMapping(value: unknown): value is Source {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
