import { Fault, type Field } from '../lib/fields.ts';

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
  /** Nobody but those who may edit the channel is to see it. */
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
