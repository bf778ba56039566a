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
  | { readonly kind: 'percent' }
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
  'spool-max-age': { kind: 'duration', ms: 7 * 86_400_000, help: 'drop pings that have waited for longer' },
  'late-as-fresh': {
    kind: 'duration',
    ms: 600_000,
    help: 'how old a result may be that is sent without its age',
  },
} as const satisfies Record<string, Option>;

/** The options of `tocsin ping` besides those. */
const ONE_PING_OPTIONS = {
  start: { kind: 'flag', help: 'the job has started' },
  fail: { kind: 'flag', help: 'the job has failed' },
  log: { kind: 'flag', help: 'a remark that changes nothing' },
  exit: { kind: 'text', value: 'N', help: 'the job has ended with this status' },
  'from-systemd': { kind: 'flag', help: 'in ExecStopPost= of a unit: how its service ended' },
  rid: {
    kind: 'text',
    value: 'UUID',
    help: 'the run that the ping belongs to; inside of tocsin run, that one',
  },
  body: { kind: 'text', value: 'TEXT', help: 'attach a text, @FILE, or - for standard input' },
  within: { kind: 'duration', ms: 8_000, help: 'for all attempts; then the ping waits in the spool' },
} as const satisfies Record<string, Option>;

/** What is printed. */
export const TALKING_OPTIONS = {
  quiet: { kind: 'flag', short: 'q', help: 'say nothing' },
  verbose: { kind: 'flag', short: 'v', help: 'say everything' },
} as const satisfies Record<string, Option>;

/** The options of `tocsin run`. */
export const RUN_OPTIONS = {
  ...TARGET_OPTIONS,
  'no-start': { kind: 'flag', help: 'send no ping when the job starts' },
  'no-rid': { kind: 'flag', help: 'send no run id' },
  'success-codes': { kind: 'codes', codes: [0], help: 'exit codes that count as success' },
  'expect-file': {
    kind: 'texts',
    value: 'PATTERN',
    help: 'a success has to leave this file behind; may be repeated',
  },
  'newer-than-start': { kind: 'flag', help: 'that file has to be newer than the start of the job' },
  'min-size': { kind: 'size', help: 'that file has to have so many bytes; 1 if left out' },
  'shrink-at-most': { kind: 'percent', help: 'that file may be so much smaller than after the last run' },
  as: {
    kind: 'choice',
    choices: ['none', 'restic', 'borg', 'borgmatic', 'rclone', 'rsync', 'pg_dump'],
    help: 'whose numbers to read',
  },
  'on-success': { kind: 'choice', choices: ['success', 'log', 'none'], help: 'the ping of a success' },
  'on-failure': {
    kind: 'choice',
    choices: ['exit', 'fail', 'log', 'none'],
    help: 'the ping of a failure; exit sends the status',
  },
  output: {
    kind: 'choice',
    choices: ['tail', 'ends', 'head', 'none'],
    help: 'what is attached of the output',
  },
  'output-on': { kind: 'choice', choices: ['always', 'failure'], help: 'when output is attached' },
  'output-limit': { kind: 'size', help: 'attach at most this much' },
  tail: { kind: 'size', help: 'attach the last so many bytes' },
  'no-summary': { kind: 'flag', help: 'add no last line of ours to the output' },
  redact: {
    kind: 'texts',
    value: 'REGEX',
    help: 'attach [redacted] instead of what matches; may be repeated',
  },
  'redact-env': {
    kind: 'names',
    help: 'variables whose values are redacted, besides those that look secret',
  },
  'no-redact': { kind: 'flag', help: 'attach the output as it is' },
  timeout: { kind: 'duration', ms: null, help: 'end the job after this time' },
  'kill-after': { kind: 'duration', ms: 10_000, help: 'kill a job that --timeout has not ended' },
  lock: { kind: 'optional', value: 'NAME', help: 'do not run twice at the same time' },
  'lock-wait': { kind: 'duration', ms: 0, help: 'wait for the other run to end' },
  retries: { kind: 'count', count: 0, help: 'run a failed job again' },
  'retry-delay': { kind: 'duration', ms: 30_000, help: 'the pause before that' },
  'retry-codes': {
    kind: 'codes',
    codes: null,
    help: 'exit codes after which the job is run again; all if left out',
  },
  'report-within': { kind: 'duration', ms: 8_000, help: 'for all that happens after the job has ended' },
  linger: {
    kind: 'duration',
    ms: null,
    help: 'how long to copy output that others write after the job has ended',
  },
  'pass-fd': { kind: 'counts', help: 'hand this descriptor on to the job; may be repeated' },
  ...SENDING_OPTIONS,
  strict: { kind: 'flag', help: 'do not run the job when our own arguments are faulty' },
  ...TALKING_OPTIONS,
} as const satisfies Record<string, Option>;

/** The options of `tocsin ping`. */
export const PING_OPTIONS = {
  ...TARGET_OPTIONS,
  ...ONE_PING_OPTIONS,
  ...SENDING_OPTIONS,
  ...TALKING_OPTIONS,
} as const satisfies Record<string, Option>;

const { 'no-spool': _useless, ...DELIVERING_OPTIONS } = SENDING_OPTIONS;

/** The options of `tocsin spool`. */
export const SPOOL_OPTIONS = {
  within: { kind: 'duration', ms: 60_000, help: 'for all that flush does' },
  all: { kind: 'flag', help: 'drop everything, also what servers have refused' },
  json: { kind: 'flag', help: 'list as JSON' },
  ...DELIVERING_OPTIONS,
  ...TALKING_OPTIONS,
} as const satisfies Record<string, Option>;

export type RunOptions = Values<typeof RUN_OPTIONS>;

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
          : O['kind'] extends 'duration' | 'size' | 'percent'
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
