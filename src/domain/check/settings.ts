export type ScheduleKind = 'simple' | 'cron' | 'oncalendar';

/** Which HTTP methods count as pings: all of them, or POST alone. */
export type PingMethods = '' | 'POST';

/** Seconds of a timeout and of a grace time: a minute to a year. */
export const MIN_DURATION_SECONDS = 60;
export const MAX_DURATION_SECONDS = 31_536_000;

const setting = <T>(initial: T) => ({ initial, isRule: false, isLong: false }) as const;

/** A setting that determines the meaning of a ping or the time of the next one. Every ping reads it. */
const rule = <T>(initial: T) => ({ initial, isRule: true, isLong: false }) as const;

/** A text that may be long and is needed only where a single check is shown. */
const LONG = { isLong: true } as const;

/** The settings of the owner, with their values in a new check. Columns, types and lists of fields follow from this table. */
const CHECK_SETTINGS = {
  name: setting(''),
  slug: setting(''),
  tags: setting(''),
  description: { ...setting(''), ...LONG },
  kind: rule<ScheduleKind>('simple'),
  /** The values of the other kinds are kept, so that switching back restores them. */
  timeoutSeconds: rule(86_400),
  schedule: rule('* * * * *'),
  tz: rule('UTC'),
  graceSeconds: rule(3_600),
  /** Rules for runs, as `rulesOf` reads them. Empty: none. */
  runRules: rule(''),
  /** Unique keys of checks without which this one cannot work, with commas. */
  parents: setting(''),
  /** UUIDs of integrations that are told of each success, with commas. */
  doneChannels: rule(''),
  /** The name of the policy by which its outages are told, as `chosenPolicy` reads it. Empty: that of a tag or the project. */
  policy: setting(''),
  manualResume: rule(false),
  methods: rule<PingMethods>(''),
  startKeywords: { ...rule(''), ...LONG },
  successKeywords: { ...rule(''), ...LONG },
  failureKeywords: { ...rule(''), ...LONG },
  filterSubject: rule(false),
  filterBody: rule(false),
  filterHttpBody: rule(false),
  filterDefaultFail: rule(false),
};

type Settings = typeof CHECK_SETTINGS;

export type CheckConfig = { -readonly [Name in keyof Settings]: Settings[Name]['initial'] };

type SettingWith<Mark extends 'isRule' | 'isLong'> = {
  [Name in keyof Settings]: Settings[Name][Mark] extends true ? Name : never;
}[keyof Settings];

// These are the keys of the table.
export const SETTING_NAMES = Object.keys(CHECK_SETTINGS) as readonly (keyof CheckConfig)[];

const namesWith = <Mark extends 'isRule' | 'isLong'>(mark: Mark): readonly SettingWith<Mark>[] =>
  SETTING_NAMES.filter((name): name is SettingWith<Mark> => CHECK_SETTINGS[name][mark]);

export const RULES = namesWith('isRule');

export const LONG_TEXTS = namesWith('isLong');

export const DEFAULT_CONFIG: Readonly<CheckConfig> = Object.freeze(
  // The result has the same keys, each with a value of its type.
  Object.fromEntries(SETTING_NAMES.map((name) => [name, CHECK_SETTINGS[name].initial])) as CheckConfig,
);
