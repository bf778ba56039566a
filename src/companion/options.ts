/** All options of the companion's commands, in one table. Arguments, variables, types and help follow from it. */

/** How a value is written, and what it is read as. */
export type Kind =
  | { readonly kind: 'flag' }
  | { readonly kind: 'text'; readonly value: string }
  /** May be given many times. */
  | { readonly kind: 'texts'; readonly value: string }
  /** Its value may be left out: then it is the empty text. */
  | { readonly kind: 'optional'; readonly value: string }
  | { readonly kind: 'choice'; readonly choices: readonly [string, ...string[]] }
  | { readonly kind: 'duration'; readonly ms: number | null }
  | { readonly kind: 'size' }
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'counts' }
  | { readonly kind: 'names' }
  | { readonly kind: 'codes'; readonly codes: readonly number[] | null };

export type Option = Kind & {
  readonly help: string;
  readonly short?: string;
  /** Variables of other programs that mean the same, in their order. */
  readonly also?: readonly string[];
  /** The value may be `file:PATH`. A secret may also be in the file that the variable with `_FILE` at its end names. */
  readonly from?: 'file' | 'secret file';
};

/** Which check is meant; see `target.ts`. */
export const TARGET_OPTIONS = {
  uuid: {
    kind: 'text',
    value: 'UUID',
    help: 'the check, by its UUID',
    also: ['CHECK_UUID'],
    from: 'secret file',
  },
  slug: {
    kind: 'text',
    value: 'SLUG',
    help: 'the check, by its slug; needs a ping key',
    also: ['CHECK_SLUG'],
    from: 'file',
  },
  'ping-key': {
    kind: 'text',
    value: 'KEY',
    help: 'the ping key of the project',
    also: ['PING_KEY', 'HC_PING_KEY', 'HEALTHCHECKS_PING_KEY'],
    from: 'secret file',
  },
  'ping-url': { kind: 'text', value: 'URL', help: 'the check, by its whole address', from: 'secret file' },
  endpoint: {
    kind: 'text',
    value: 'URL',
    help: 'what a UUID or a ping key is appended to',
    also: ['HC_API_URL', 'HEALTHCHECKS_BASE_URL'],
    from: 'file',
  },
  url: { kind: 'text', value: 'URL', help: 'the root of the site; /ping is appended', from: 'file' },
  profile: { kind: 'text', value: 'NAME', help: 'the profile in config.json that has the rest' },
  create: { kind: 'flag', help: 'create the check if it does not exist; slugs only' },
} as const satisfies Record<string, Option>;

/** How pings travel, and where they rest. */
export const SENDING_OPTIONS = {
  'ping-timeout': { kind: 'duration', ms: 4_000, help: 'for one attempt to send one ping' },
  header: { kind: 'texts', value: "'K: V'", help: 'a header of every ping; may be repeated' },
  'ca-file': { kind: 'text', value: 'FILE', help: 'trust these certificates as well' },
  spool: { kind: 'text', value: 'DIR', help: 'where pings wait that could not be delivered' },
  'no-spool': { kind: 'flag', help: 'keep no ping that could not be delivered' },
} as const satisfies Record<string, Option>;

/** What is printed. */
export const TALKING_OPTIONS = {
  quiet: { kind: 'flag', short: 'q', help: 'say nothing' },
  verbose: { kind: 'flag', short: 'v', help: 'say everything' },
} as const satisfies Record<string, Option>;

type ValueOf<O extends Option> = O['kind'] extends 'flag'
  ? boolean
  : O['kind'] extends 'text' | 'optional'
    ? string | null
    : O['kind'] extends 'texts' | 'names'
      ? readonly string[]
      : O extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
        ? C
        : O extends { readonly kind: 'duration'; readonly ms: number }
          ? number
          : O['kind'] extends 'duration' | 'size'
            ? number | null
            : O['kind'] extends 'count'
              ? number
              : O['kind'] extends 'counts'
                ? readonly number[]
                : O extends { readonly kind: 'codes'; readonly codes: readonly number[] }
                  ? readonly number[]
                  : readonly number[] | null;

export type Table = Readonly<Record<string, Option>>;

/** The value of each option of a table, by its name. */
export type Values<T extends Table> = { readonly [N in keyof T]: ValueOf<T[N]> };

/** Where a value stands. The earlier ones win. */
export const SOURCES = ['flag', 'variable', 'other variable'] as const;
export type Source = (typeof SOURCES)[number];

export const variableOf = (name: string): string => `TOCSIN_${name.toUpperCase().replaceAll('-', '_')}`;
