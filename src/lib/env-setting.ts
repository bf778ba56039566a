/** Turns the text of a variable into a value. `parse` returns undefined if it does not accept the text. */
export interface TextFormat<T> {
  /** Completes the sentence "give …". */
  readonly accepts: string;
  readonly parse: (text: string) => T | undefined;
  /** If false or absent, an empty variable counts as unset. */
  readonly takesEmpty?: boolean;
}

/** A variable of the environment by which an operator chooses something. */
export interface EnvSetting<T = unknown> {
  readonly kind: TextFormat<T>;
  /** In the spelling of an operator; null: the setting is optional. */
  readonly default: string | null;
  /** The default as documented, if it depends on other settings. */
  readonly defaultNote?: string;
  /** Secrets are never shown and can be given as a file, by `<NAME>_FILE`. */
  readonly secret?: boolean;
  /** One sentence; the documentation repeats it word for word. */
  readonly doc: string;
  /** A text that it accepts. Only needed if it has no default and does not accept any word. */
  readonly example?: string;
}

/** A setting as it is in effect, for people to see. */
export interface EffectiveSetting {
  readonly name: string;
  /** In the spelling of an operator. Masked if it is a secret; null if it is not set. */
  readonly value: string | null;
  /** A file is one that `<NAME>_FILE` names. The `.env` file counts as environment. */
  readonly origin: 'environment' | 'file' | 'default';
  readonly doc: string;
}

export type EnvSettingTable = Readonly<Record<string, EnvSetting>>;

/** The value of a setting. It is null only if there is no default, or if the format accepts null. */
export type EnvValue<Setting extends EnvSetting> =
  | Exclude<ReturnType<Setting['kind']['parse']>, undefined>
  | Extract<Setting['default'], null>;

export type EnvValues<Table extends EnvSettingTable> = {
  readonly [Name in keyof Table]: EnvValue<Table[Name]>;
};

export const line: TextFormat<string> = {
  accepts: 'one line of text',
  parse: (text) => (/\p{Cc}/u.test(text) ? undefined : text),
};

// The reference reads an empty boolean as False, whatever the default is.
export const flag: TextFormat<boolean> = {
  accepts: 'True or False',
  takesEmpty: true,
  parse: (text) => {
    if (['True', 'true', '1'].includes(text)) return true;
    if (['False', 'false', '0', ''].includes(text)) return false;
    return undefined;
  },
};

export const httpsAddress: TextFormat<string> = {
  accepts: 'an https:// address',
  parse: (text) => (URL.canParse(text) && text.startsWith('https://') ? text : undefined),
};

export function wholeNumber(least: number, most: number): TextFormat<number> {
  return {
    accepts: `a whole number from ${least} to ${most}`,
    parse: (text) => {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return number >= least && number <= most ? number : undefined;
    },
  };
}

export function orNone<T>(format: TextFormat<T>): TextFormat<T | null> {
  return {
    accepts: `${format.accepts}, or None`,
    parse: (text) => (text.toLowerCase() === 'none' ? null : format.parse(text)),
  };
}

export function choice<const T extends string>(words: readonly T[]): TextFormat<T> {
  return {
    accepts: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text.toLowerCase()),
  };
}
