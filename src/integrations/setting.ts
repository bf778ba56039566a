import { Fault, type Field, type JsonSchema } from '../lib/fields.ts';
import type { Vault } from '../lib/vault.ts';

/** How a form asks for a setting. */
export type Control = 'text' | 'url' | 'email' | 'flag' | 'choice' | 'request' | 'channels';

/**
 * One setting of a kind of channel: all that a file, a form, the API reference and the storage need to know of it. A
 * setting without a default has to be given.
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

/** What is sealed, where it stands. */
interface Sealed {
  readonly sealed: string;
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && 'sealed' in value && typeof value.sealed === 'string';
}

/** As they are stored: secrets are sealed, each by itself. What is sealed already stays so. */
export function sealValues(table: SettingTable, values: Source, vault: Pick<Vault, 'seal'>): Source {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isSecret = secretNames(table).includes(name) && value !== null && !isSealed(value);
      return [name, isSecret ? { sealed: vault.seal(JSON.stringify(value)) } : value];
    }),
  );
}

/** As they were before sealing; a fault names what was sealed under another secret key. */
export function unsealValues(values: Source, vault: Pick<Vault, 'unseal'>): Source | Fault {
  const opened: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const text = isSealed(value) ? vault.unseal(value.sealed) : null;
    if (isSealed(value) && text === null) return new Fault(`${name} was sealed under another SECRET_KEY`);
    opened[name] = text === null ? value : JSON.parse(text);
  }
  return opened;
}

/** What stands for a secret that is there. */
const MASK = '••••••••';

/** As they are shown to people and programs: a secret that is there is only said to be there. */
export function maskValues(table: SettingTable, values: Source): Source {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isSecret = secretNames(table).includes(name) && value !== null && value !== '';
      return [name, isSecret ? MASK : value];
    }),
  );
}

function secretNames(table: SettingTable): string[] {
  return Object.keys(table).filter((name) => table[name]?.secret);
}

/** The settings as a JSON Schema object. */
export function schemaOf(table: SettingTable): JsonSchema {
  const properties = Object.entries(table).map(([name, { label, help, field, secret }]) => [
    name,
    { title: label, ...(help && { description: help }), ...field.schema, ...(secret && { writeOnly: true }) },
  ]);
  const required = Object.keys(table).filter((name) => table[name]?.default === undefined);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** One row of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly control: Control;
  readonly required: boolean;
  readonly secret: boolean;
  /** What the form begins with. */
  readonly default: unknown;
  readonly choices: readonly Choice<unknown>[];
}

/** The settings as rows of a form: whoever draws it needs to know nothing of the kind. */
export function formOf(table: SettingTable): FormField[] {
  return Object.entries(table).map(([name, setting]) => ({
    name,
    label: setting.label,
    help: setting.help ?? '',
    control: setting.control,
    required: setting.default === undefined,
    secret: setting.secret ?? false,
    default: setting.default ?? null,
    choices: setting.choices ?? [],
  }));
}
