import type { Arrival } from '../domain/check/check-arrival.ts';
import { DECLARATION_MODES } from '../domain/check/job-declaration.ts';
import { DEFAULT_SOURCE } from '../domain/declaration-source.ts';
import { REMINDER_PERIODS, THEMES } from '../domain/people/account.ts';
import {
  API_KEY_KINDS,
  type ApiKeyKind,
  accountTokenFault,
  apiKeyFault,
  pingKeyFault,
  wallTokenFault,
} from '../domain/people/api-key.ts';
import { MIN_PASSWORD_LENGTH } from '../domain/people/password-rules.ts';
import { MEMBER_ROLES, SCOPES } from '../domain/people/permission.ts';
import { ALIAS_TOKEN, PING_DIALECTS } from '../domain/ping/dialect.ts';
import { RULE_NAMES, readRules } from '../domain/policy/rules.ts';
import { MAX_STATUS_COMPONENTS } from '../domain/public/status-page.ts';
import { canonicalTimezone } from '../domain/schedule/timezone.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { addressField } from '../integrations/email/email.ts';
import {
  CHANNEL_KINDS,
  isChannelKind,
  readSettings,
  settingNames,
  settingTable,
} from '../integrations/registry.ts';
import { Fault, type Field, flag, integer, readFields, refined, someOf, text } from '../lib/fields.ts';
import { fromIso, type Instant } from '../lib/instant.ts';
import { CLOCK_FORMATS, canonicalLanguage, DATE_FORMATS } from '../lib/text/date-style.ts';
import {
  channelIdentity,
  type Declaration,
  type DeclaredAccount,
  type DeclaredAlerting,
  type DeclaredAlias,
  type DeclaredAt,
  type DeclaredCalendar,
  type DeclaredChannel,
  type DeclaredCheck,
  type DeclaredComponent,
  type DeclaredKey,
  type DeclaredMember,
  type DeclaredPolicy,
  type DeclaredProject,
  type DeclaredQuietTime,
  type DeclaredStatusPage,
  type DeclaredToken,
  type DeclaredView,
  type DeclaredWall,
  identityOf,
  viewIdentity,
} from '../services/provisioning/declaration.ts';
import { CALENDAR_FIELDS, calendarEdit, newCalendar } from '../wire/api/calendar-input.ts';
import { CHECK_FIELDS, scheduleFault, toCheckEdit } from '../wire/api/check-fields.ts';
import { ALERTING_FIELDS, POLICY_NAME_FIELD } from '../wire/api/policy-input.ts';
import { QUIET_TIME_FIELDS, quietTimeInput } from '../wire/api/quiet-time-input.ts';
import { COMPONENT_FIELDS, PAGE_FIELDS, tagField } from '../wire/dashboard/status-page-input.ts';
import { VIEW_FIELDS } from '../wire/dashboard/view-input.ts';
import { type FileFault, PROVISION_LIMITS } from './document.ts';
import { type Entry, type Item, locate, ProvisionFileError } from './located.ts';
import type { FilePart } from './part.ts';
import { secretsBeside } from './secret-file.ts';
import { Lines, type ProvisionText } from './texts.ts';
import type { Variables } from './variables.ts';

/** Mail addresses of checks demand version 4. */
export const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ANY_UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const nameField = (maxLength: number, what = 'name') =>
  refined(text({ maxLength }), `${what}: it is empty`, (value) => (value.trim() === '' ? null : value));
const passwordField = refined(
  text({ maxLength: TEXT_LIMITS.password }),
  `password: it has fewer than ${MIN_PASSWORD_LENGTH} characters`,
  (value) => (value.length < MIN_PASSWORD_LENGTH ? null : value),
);
const limitField = integer({ minimum: 0, maximum: 10_000_000 });
const emailField = lowerCase(addressField);
const tzField = refined(text(), 'timezone', canonicalTimezone);
const keyKindField = chosenField('kind', API_KEY_KINDS);
/** A day begins in UTC. */
const expiryField: Field<Instant> = refined(text(), 'day such as 2027-06-01', (value) =>
  fromIso(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00+00:00` : value),
);
const declarationsField = chosenField('mode', DECLARATION_MODES);
const roleField = chosenField('role', MEMBER_ROLES);
const reportsField = chosenField('period', ['off', 'daily', 'weekly', 'monthly']);
const remindersField = chosenField('period', REMINDER_PERIODS);
const languageField = refined(text(), 'language', canonicalLanguage);
const dateFormatField = chosenField('format', DATE_FORMATS);
const clockField = chosenField('clock', CLOCK_FORMATS);
const slugField = refined(CHECK_FIELDS.slug, 'slug: it is empty', (value) => value || null);
const pausedField = flag('The check begins paused.');
const downField = flag('The check begins as one that is down.');
/** Nothing happened before 1970. */
export const timeField: Field<Instant> = refined(
  text(),
  'time such as 2026-11-17T08:00:00+00:00',
  (value) => {
    const at = fromIso(value);
    return at === null || at < 0 ? null : at;
  },
);
const uuidField = refined(text(), 'UUID of version 4 in small letters', (value) =>
  UUID_V4.test(value) ? value : null,
);
/** Projects and integrations may have UUIDs of any version. */
const anyUuidField = refined(text(), 'UUID in small letters', (value) =>
  ANY_UUID.test(value) ? value : null,
);
const sourceField = nameField(TEXT_LIMITS.projectName, 'source');
const adminField = flag('The person administers the installation.');
const themeField = chosenField('theme', THEMES);
const dialectField = flag('Addresses of the program are accepted.');
const tokenField = keyField((token) =>
  ALIAS_TOKEN.test(token) ? null : 'does not have 8 to 64 letters, digits, hyphens or underscores',
);
const verifiedField = flag('The address is known to be right.');

/** Times are written as people read them. */
const QUIET_FIELDS = { ...QUIET_TIME_FIELDS, from: timeField, until: timeField };

// `unique` applies to one request only. A file calls `channels` `integrations`, and `done_channels` `done`. Links come after all checks.
const {
  unique: _unique,
  channels: channelsField,
  slug: _slug,
  parents: parentsField,
  done_channels: _done,
  ...PLAIN_CHECK_FIELDS
} = CHECK_FIELDS;

/** The keys of each kind of entry. */
export const FILE_KEYS = {
  file: ['source', 'accounts', 'projects', 'tokens'],
  account: [
    ...['email', 'name', 'admin', 'theme', 'password', 'limits', 'tz', 'reports', 'reminders'],
    ...['language', 'date_format', 'clock'],
  ],
  project: [
    ...['uuid', 'name', 'owner', 'job_declarations', 'members', 'keys', 'api_keys', 'integrations', 'checks'],
    ...[
      'dialects',
      'status_pages',
      'walls',
      'views',
      'calendars',
      'policies',
      'policy',
      'tags',
      'quiet_times',
    ],
  ],
  apiKey: ['name', 'kind', 'secret', 'expires'],
  check: [
    ...Object.keys(PLAIN_CHECK_FIELDS),
    ...['slug', 'uuid', 'last_ping', 'down', 'paused', 'integrations', 'done', 'parents', 'aliases'],
  ],
  alias: ['dialect', 'token'],
  statusPage: ['slug', 'title', 'about', 'tz', 'published', 'components'],
  component: ['name', 'group', 'tag', 'check'],
  wall: ['name', 'token'],
  view: ['name', 'owner', 'query', 'shared'],
  calendar: Object.keys(CALENDAR_FIELDS),
  policy: ['name', ...RULE_NAMES],
  quietTime: Object.keys(QUIET_FIELDS),
  token: ['account', 'name', 'scopes', 'projects', 'secret', 'expires'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Parses a file. Throws every fault that can be found without the database. */
export function parseProvisionFile(path: string, content: string, variables: Variables = {}): Declaration {
  return parseProvisionFiles([{ path, content }], variables);
}

/** Parses files that are applied together. A project may be in several of them. */
export function parseProvisionFiles(
  texts: readonly ProvisionText[],
  variables: Variables,
  part: FilePart = 'all',
): Declaration {
  const lines = new Lines(texts);
  return joinFiles(
    texts.map((text, index) => readProvisionText(text, lines.before(index), variables, part)),
    lines,
    part,
  );
}

/** Reads one of the files. `before` is the number of lines in the files before it. */
export function readProvisionText(
  { path, content }: ProvisionText,
  before: number,
  variables: Variables,
  part: FilePart,
): FileEntries {
  const faults: FileFault[] = [];
  const entries = readFile(locate(content, variables, faults, before, part, secretsBeside(path)));
  return { ...entries, faults };
}

/** Makes one declaration of all files. Throws every fault that can be found without the database. */
export function joinFiles(parts: readonly FileEntries[], lines: Lines, part: FilePart): Declaration {
  const faults = parts.flatMap((one) => one.faults);
  const sources = parts.flatMap(({ source }) => source ?? []);
  const [source, other] = sources;
  if (source !== undefined && other !== undefined)
    faults.push({ line: other.line, reason: `source is given ${lines.mention(source.line)} already` });
  const accounts = parts.flatMap((one) => one.accounts);
  const tokens = parts.flatMap((one) => one.tokens);
  const projects = joinProjects(
    parts.flatMap((one) => one.projects),
    lines,
    faults,
    part === 'all',
  );
  const checks = projects.flatMap((project) => project.checks);
  if (checks.length > PROVISION_LIMITS.maxChecks)
    faults.push({ line: 1, reason: `there are more than ${PROVISION_LIMITS.maxChecks} checks` });
  const all = [
    ...faults,
    ...repeated(lines, accounts, 'account', ({ email }) => email),
    ...projects.flatMap((project) => repeatedChecks(lines, project.checks)),
    ...projects.flatMap(({ channels }) => repeated(lines, channels, 'integration', channelIdentity)),
    ...projects.flatMap(({ apiKeys }) => repeated(lines, apiKeys, 'api key', ({ name }) => name)),
    ...projects.flatMap(({ walls = [] }) => repeated(lines, walls, 'wall', ({ name }) => name)),
    ...projects.flatMap(({ views = [] }) => repeated(lines, views, 'view', viewIdentity)),
    ...projects.flatMap(({ calendars = [] }) => repeated(lines, calendars, 'calendar', ({ name }) => name)),
    ...projects.flatMap(({ policies = [] }) => repeated(lines, policies, 'policy', ({ name }) => name)),
    ...projects.flatMap(({ quietTimes = [] }) =>
      repeated(lines, quietTimes, 'quiet time', ({ name }) => name),
    ),
    ...repeated(
      lines,
      projects.flatMap(({ statusPages = [] }) => statusPages),
      'status page',
      ({ slug }) => slug,
    ),
    ...repeated(
      lines,
      projects.flatMap(({ aliases = [] }) => aliases).concat(checks.flatMap(({ aliases = [] }) => aliases)),
      'a token of',
      ({ dialect, token }) => `${dialect} ${token}`,
      ({ dialect }) => dialect,
    ),
    ...repeated(lines, tokens, 'token', ({ account, name }) => `${account}/${name}`),
  ];
  if (all.length > 0)
    throw new ProvisionFileError(
      lines,
      all.toSorted((one, two) => one.line - two.line),
    );
  return { source: source?.name ?? DEFAULT_SOURCE, accounts, projects, ...(tokens.length > 0 && { tokens }) };
}

/** The entries of one file, and its faults. */
export interface FileEntries {
  readonly faults: readonly FileFault[];
  readonly source: { readonly line: number; readonly name: string } | null;
  readonly accounts: readonly DeclaredAccount[];
  readonly projects: readonly ProjectPart[];
  readonly tokens: readonly DeclaredToken[];
}

/** A project in one file. Another file may name its owner. */
type ProjectPart = Omit<DeclaredProject, 'owner'> & {
  readonly owner?: string;
  readonly keysLine: number | null;
};

function readFile(file: Entry | null): Omit<FileEntries, 'faults'> {
  if (file === null) return { source: null, accounts: [], projects: [], tokens: [] };
  file.allow(FILE_KEYS.file);
  const name = optional(file, 'source', sourceField);
  return {
    source: name === undefined ? null : { line: file.lineOf('source'), name },
    accounts: file.list('accounts').map(readAccount),
    projects: file.list('projects').map(readProject),
    tokens: file.list('tokens').map(readToken),
  };
}

/** Joins the lists of parts of one project. Only one part may name the owner, and only one the keys. */
function joinProjects(
  parts: readonly ProjectPart[],
  lines: Lines,
  faults: FileFault[],
  isOwnerNeeded: boolean,
): readonly DeclaredProject[] {
  const joined: ProjectPart[] = [];
  const nameOf = ({ uuid, name }: ProjectPart) => uuid ?? name;
  // Parts that name their owner come first: the others belong to them.
  for (const part of [
    ...parts.filter(({ owner }) => owner !== undefined),
    ...parts.filter(({ owner }) => owner === undefined),
  ]) {
    const same = joined.filter((one) => nameOf(one) === nameOf(part));
    const place = same.findIndex(({ owner }) => part.owner === undefined || owner === part.owner);
    const first = same[place];
    if (first === undefined) joined.push(part);
    else if (part.owner !== undefined)
      faults.push({
        line: part.line,
        reason: `project ${part.uuid ?? `${part.name} of ${part.owner}`} is declared ${lines.mention(first.line)} already`,
      });
    else if (same.length > 1)
      faults.push({ line: part.line, reason: `there are several projects ${part.name}: owner is missing` });
    else joined[joined.indexOf(first)] = joinParts(first, part, lines, faults);
  }
  return joined.map(({ keysLine: _keysLine, owner, ...project }) => {
    if (owner === undefined && isOwnerNeeded)
      faults.push({ line: project.line, reason: `project ${project.name}: owner is missing` });
    return { ...project, owner: owner ?? '' };
  });
}

function joinParts(first: ProjectPart, part: ProjectPart, lines: Lines, faults: FileFault[]): ProjectPart {
  if (first.keysLine !== null && part.keysLine !== null)
    faults.push({ line: part.keysLine, reason: `keys are given ${lines.mention(first.keysLine)} already` });
  if (first.dialects !== undefined && part.dialects !== undefined)
    faults.push({ line: part.line, reason: `dialects are given ${lines.mention(first.line)} already` });
  if (first.alerting !== undefined && part.alerting !== undefined)
    faults.push({
      line: part.alerting.line,
      reason: `how outages are told is given ${lines.mention(first.alerting.line)} already`,
    });
  const dialects = first.dialects ?? part.dialects;
  if (first.jobDeclarations !== undefined && part.jobDeclarations !== undefined)
    faults.push({
      line: part.line,
      reason: `job_declarations is given ${lines.mention(first.line)} already`,
    });
  return {
    ...first,
    ...present('written', first.written ?? part.written),
    ...present('jobDeclarations', first.jobDeclarations ?? part.jobDeclarations),
    keysLine: first.keysLine ?? part.keysLine,
    keys: { ...part.keys, ...first.keys },
    members: [...first.members, ...part.members],
    apiKeys: [...first.apiKeys, ...part.apiKeys],
    channels: [...first.channels, ...part.channels],
    checks: [...first.checks, ...part.checks],
    ...present('dialects', dialects),
    ...joined('aliases', first.aliases, part.aliases),
    ...joined('statusPages', first.statusPages, part.statusPages),
    ...joined('walls', first.walls, part.walls),
    ...joined('views', first.views, part.views),
    ...joined('calendars', first.calendars, part.calendars),
    ...joined('policies', first.policies, part.policies),
    ...joined('quietTimes', first.quietTimes, part.quietTimes),
    ...present('alerting', first.alerting ?? part.alerting),
  };
}

function joined<K extends string, T>(
  key: K,
  first: readonly T[] = [],
  others: readonly T[] = [],
): { [P in K]?: readonly T[] } {
  return given(key, [...first, ...others]);
}

function readAccount(entry: Entry): DeclaredAccount {
  entry.allow(FILE_KEYS.account);
  const limits = entry.entry('limits');
  limits?.allow(['checks', 'pings']);
  return {
    ...at(entry),
    email: required(entry, 'email', emailField) ?? '',
    ...present('name', optional(entry, 'name', text({ maxLength: TEXT_LIMITS.accountName }))),
    ...present('isAdmin', optional(entry, 'admin', adminField)),
    ...present('theme', optional(entry, 'theme', themeField)),
    ...present('password', optionalSecret(entry, 'password', passwordField)),
    ...(limits !== null && {
      limits: {
        ...present('checks', optional(limits, 'checks', limitField)),
        ...present('pings', optional(limits, 'pings', limitField)),
      },
    }),
    ...present('tz', optional(entry, 'tz', tzField)),
    ...present('reports', optional(entry, 'reports', reportsField)),
    ...present('reminders', optional(entry, 'reminders', remindersField)),
    ...present('language', optional(entry, 'language', languageField)),
    ...present('dateFormat', optional(entry, 'date_format', dateFormatField)),
    ...present('clock', optional(entry, 'clock', clockField)),
  };
}

function readProject(entry: Entry): ProjectPart {
  entry.allow(FILE_KEYS.project);
  const keys = entry.entry('keys');
  keys?.allow(['read_write', 'read_only', 'ping']);
  const dialects = entry.entry('dialects');
  return {
    ...at(entry),
    ...present('uuid', optional(entry, 'uuid', anyUuidField)),
    name: required(entry, 'name', nameField(TEXT_LIMITS.projectName)) ?? '',
    ...present('owner', optional(entry, 'owner', emailField)),
    ...present('jobDeclarations', optional(entry, 'job_declarations', declarationsField)),
    keysLine: keys === null ? null : entry.lineOf('keys'),
    members: entry.items('members').map(readMember),
    keys: keys === null ? {} : readKeys(keys),
    apiKeys: entry.list('api_keys').map(readApiKey),
    channels: entry.list('integrations').map(readChannel),
    checks: entry.list('checks').map(readCheck),
    ...(dialects !== null && readDialects(dialects)),
    ...given('statusPages', entry.list('status_pages').map(readStatusPage)),
    ...given('walls', entry.list('walls').map(readWall)),
    ...given('views', entry.list('views').map(readView)),
    ...given('calendars', entry.list('calendars').map(readCalendar)),
    ...given('policies', entry.list('policies').map(readPolicy)),
    ...given('quietTimes', entry.list('quiet_times').map(readQuietTime)),
    ...present('alerting', readAlerting(entry)),
  };
}

/** Returns an object with the list, or an empty one when there are no items. */
function given<K extends string, T>(key: K, items: readonly T[]): { [P in K]?: readonly T[] } {
  return present(key, items.length === 0 ? undefined : items);
}

/** A dialect that is not named is off. */
function readDialects(entry: Entry): Pick<DeclaredProject, 'dialects' | 'aliases'> {
  entry.allow(['kuma', 'cronitor']);
  const kuma = optional(entry, 'kuma', dialectField) ?? false;
  if (typeof entry.value('cronitor') === 'boolean' || !entry.has('cronitor'))
    return { dialects: { kuma, cronitor: entry.value('cronitor') === true ? { create: false } : null } };
  const cronitor = entry.entry('cronitor');
  cronitor?.allow(['create', 'keys']);
  const create = (cronitor && optional(cronitor, 'create', dialectField)) ?? false;
  const aliases = (cronitor?.items('keys') ?? []).map((item): DeclaredAlias => {
    const token = readSecret(tokenField, item.secret(), 'it');
    if (token instanceof Fault) item.fault(token.reason);
    return { line: item.line, dialect: 'cronitor', token: token instanceof Fault ? '' : token };
  });
  return { dialects: { kuma, cronitor: { create } }, ...given('aliases', aliases) };
}

function readAlias(entry: Entry): DeclaredAlias {
  entry.allow(FILE_KEYS.alias);
  return {
    ...at(entry),
    dialect: required(entry, 'dialect', chosenField('dialect', PING_DIALECTS)) ?? 'kuma',
    token: requiredSecret(entry, 'token', tokenField) ?? '',
  };
}

function readStatusPage(entry: Entry): DeclaredStatusPage {
  entry.allow(FILE_KEYS.statusPage);
  const components = entry.list('components').map(readComponent);
  if (components.length > MAX_STATUS_COMPONENTS)
    entry.fault(`there are more than ${MAX_STATUS_COMPONENTS} components`, 'components');
  return {
    ...at(entry),
    slug: required(entry, 'slug', PAGE_FIELDS.slug) ?? '',
    title: required(entry, 'title', PAGE_FIELDS.title) ?? '',
    ...present('about', optional(entry, 'about', PAGE_FIELDS.about)),
    ...present('tz', optional(entry, 'tz', PAGE_FIELDS.tz)),
    ...present('isPublished', optional(entry, 'published', flag('Everybody sees the page.'))),
    ...(entry.has('components') && { components }),
  };
}

function readComponent(entry: Entry): DeclaredComponent {
  entry.allow(FILE_KEYS.component);
  const tag = optional(entry, 'tag', tagField);
  const check = optional(entry, 'check', nameField(TEXT_LIMITS.checkName, 'check'));
  if (entry.has('tag') === entry.has('check')) entry.fault('a component has either a tag or a check');
  return {
    ...at(entry),
    name: required(entry, 'name', COMPONENT_FIELDS.name) ?? '',
    group: optional(entry, 'group', COMPONENT_FIELDS.group) ?? '',
    covers: tag === undefined ? { check: check ?? '' } : { tag },
  };
}

function readWall(entry: Entry): DeclaredWall {
  entry.allow(FILE_KEYS.wall);
  return {
    ...at(entry),
    name: required(entry, 'name', nameField(TEXT_LIMITS.keyName)) ?? '',
    ...present('token', optionalSecret(entry, 'token', keyField(wallTokenFault))),
  };
}

function readView(entry: Entry): DeclaredView {
  entry.allow(FILE_KEYS.view);
  return {
    ...at(entry),
    name: required(entry, 'name', VIEW_FIELDS.name) ?? '',
    owner: required(entry, 'owner', emailField) ?? '',
    query: required(entry, 'query', VIEW_FIELDS.query) ?? '',
    isShared: optional(entry, 'shared', VIEW_FIELDS.isShared) ?? false,
  };
}

function readCalendar(entry: Entry): DeclaredCalendar {
  entry.allow(FILE_KEYS.calendar);
  const read = readFields(CALENDAR_FIELDS, entry.values());
  if (read instanceof Fault) entry.fault(read.reason, read.reason.split(' ')[0]);
  const edit = read instanceof Fault ? null : calendarEdit(read);
  return {
    ...at(entry),
    ...newCalendar(edit ?? {}, (reason) => {
      if (edit !== null) entry.fault(reason);
    }),
  };
}

function readPolicy(entry: Entry): DeclaredPolicy {
  entry.allow(FILE_KEYS.policy);
  const given = RULE_NAMES.filter((rule) => entry.has(rule)).map((rule) => [rule, entry.value(rule)]);
  const rules = readRules(Object.fromEntries(given));
  if (rules instanceof Fault) entry.fault(rules.reason);
  return {
    ...at(entry),
    name: required(entry, 'name', POLICY_NAME_FIELD) ?? '',
    rules: rules instanceof Fault ? {} : rules,
  };
}

function readAlerting(entry: Entry): DeclaredAlerting | undefined {
  const policy = optional(entry, 'policy', ALERTING_FIELDS.policy);
  const tags = optional(entry, 'tags', ALERTING_FIELDS.tags);
  if (policy === undefined && tags === undefined) return undefined;
  const line = entry.lineOf(policy === undefined ? 'tags' : 'policy');
  return { line, ...present('policy', policy), ...present('tags', tags) };
}

/** A file is applied again and again, so a span that comes once has a beginning. */
function readQuietTime(entry: Entry): DeclaredQuietTime {
  entry.allow(FILE_KEYS.quietTime);
  const read = readFields(QUIET_FIELDS, entry.values());
  if (read instanceof Fault) {
    entry.fault(read.reason, read.reason.split(' ')[0]);
    return { ...at(entry), ...quietTimeInput({ from: null, until: null }) };
  }
  if (read.name === undefined) entry.fault('name is missing');
  if (read.schedule === undefined && read.from === undefined) entry.fault('schedule or from is missing');
  return { ...at(entry), ...quietTimeInput({ ...read, from: read.from ?? null, until: read.until ?? null }) };
}

function readToken(entry: Entry): DeclaredToken {
  entry.allow(FILE_KEYS.token);
  const projects = entry.items('projects').map((item) => {
    const name = nameField(TEXT_LIMITS.projectName).read(item.value, 'it');
    if (name instanceof Fault) item.fault(name.reason);
    return name instanceof Fault ? '' : name;
  });
  const scopes = optional(entry, 'scopes', someOf(SCOPES, 'What the token may do.')) ?? [];
  if (entry.has('secret') && scopes.length === 0) entry.fault('scopes are missing');
  if (entry.has('projects') && scopes.includes('projects.edit'))
    entry.fault('scopes has projects.edit, which needs all projects', 'scopes');
  return {
    ...at(entry),
    account: required(entry, 'account', emailField) ?? '',
    name: required(entry, 'name', nameField(TEXT_LIMITS.keyName)) ?? '',
    scopes: [...new Set(scopes)],
    projects: entry.has('projects') ? projects : null,
    ...present('secret', optionalSecret(entry, 'secret', keyField(accountTokenFault))),
    expiresAt: optional(entry, 'expires', expiryField) ?? null,
  };
}

/** An address, or a mapping with a role. */
function readMember(item: Item): DeclaredMember {
  const { entry } = item;
  if (entry !== null) {
    entry.allow(['email', 'role']);
    const email = required(entry, 'email', emailField) ?? '';
    return { line: item.line, email, ...present('role', optional(entry, 'role', roleField)) };
  }
  const email = emailField.read(item.value, 'it');
  if (email instanceof Fault) item.fault(email.reason);
  return { line: item.line, email: email instanceof Fault ? '' : email };
}

function readKeys(entry: Entry): DeclaredProject['keys'] {
  const apiKey = (kind: ApiKeyKind) =>
    optionalSecret(
      entry,
      kind,
      keyField((key) => apiKeyFault(key, kind)),
    );
  return {
    ...present('readWrite', apiKey('read_write')),
    ...present('readOnly', apiKey('read_only')),
    ...present('ping', optionalSecret(entry, 'ping', keyField(pingKeyFault))),
  };
}

function readApiKey(entry: Entry): DeclaredKey {
  entry.allow(FILE_KEYS.apiKey);
  const kind = required(entry, 'kind', keyKindField) ?? 'read_only';
  const secretField = keyField((key) => apiKeyFault(key, kind));
  return {
    ...at(entry),
    kind,
    name: required(entry, 'name', nameField(TEXT_LIMITS.keyName)) ?? '',
    ...present('secret', optionalSecret(entry, 'secret', secretField)),
    expiresAt: optional(entry, 'expires', expiryField) ?? null,
  };
}

/** The key of a setting. Telegram has a name of the chat beside the name of the integration. */
export const settingKey = (setting: string): string => (setting === 'name' ? 'chat_name' : setting);

function readChannel(entry: Entry): DeclaredChannel {
  const kind = required(entry, 'kind', kindField) ?? '';
  const uuid = optional(entry, 'uuid', anyUuidField);
  const channelName = nameField(TEXT_LIMITS.channelName);
  const name = (entry.has('uuid') ? optional : required)(entry, 'name', channelName) ?? '';
  const identity = { ...at(entry), ...present('uuid', uuid), kind, name };
  if (!isChannelKind(kind)) return { ...identity, settings: {}, verified: true };
  const common = kind === 'email' ? ['uuid', 'kind', 'name', 'verified'] : ['uuid', 'kind', 'name'];
  entry.allow([...common, ...settingNames(kind).map(settingKey)]);
  const table = settingTable(kind);
  const given = settingNames(kind).filter((setting) => entry.has(settingKey(setting)));
  const read = given.map((setting) => {
    const key = settingKey(setting);
    const value = table[setting]?.secret === true ? entry.secret(key) : entry.value(key);
    if (value instanceof Fault) entry.fault(value.reason, key);
    return [setting, value];
  });
  if (read.some(([, value]) => value instanceof Fault)) return { ...identity, settings: {}, verified: true };
  const settings = readSettings(kind, Object.fromEntries(read));
  if (settings instanceof Fault) {
    entry.fault(settings.reason);
    return { ...identity, settings: {}, verified: true };
  }
  // An email address is unconfirmed unless the file says otherwise. With all other recipients the operator is trusted.
  const verified = kind === 'email' ? (optional(entry, 'verified', verifiedField) ?? false) : true;
  return { ...identity, settings, verified };
}

function readCheck(entry: Entry): DeclaredCheck {
  entry.allow(FILE_KEYS.check);
  const uuid = optional(entry, 'uuid', uuidField);
  const slug = entry.has('uuid') ? optional(entry, 'slug', slugField) : required(entry, 'slug', slugField);
  const input = readFields(PLAIN_CHECK_FIELDS, entry.values());
  if (input instanceof Fault)
    entry.fault(withScheduleReason(entry, input.reason), input.reason.split(' ')[0]);
  return {
    ...withKeywords(at(entry)),
    slug: slug ?? '',
    ...present('uuid', uuid),
    ...present('arrival', readArrival(entry)),
    edit: input instanceof Fault ? {} : toCheckEdit({ ...input, slug: slug ?? '' }, 3),
    ...present('channels', optional(entry, 'integrations', integrationsField)),
    ...present('parents', optional(entry, 'parents', parentsField)),
    ...present('done', optional(entry, 'done', integrationsField)),
    ...given('aliases', entry.list('aliases').map(readAlias)),
  };
}

/** Older names of keywords set the same fields. */
function withKeywords({ line, written }: DeclaredAt): DeclaredAt {
  if (written === undefined) return { line };
  const { subject, subject_fail: subjectFail, ...others } = written;
  const names = { ...present('success_kw', subject), ...present('failure_kw', subjectFail) };
  return { line, written: { ...names, ...others } };
}

/** The check's state, if it has to be created. A last ping alone says that it is up. */
function readArrival(entry: Entry): Arrival | undefined {
  const lastPingAt = optional(entry, 'last_ping', timeField);
  const isDown = optional(entry, 'down', downField);
  const isPaused = optional(entry, 'paused', pausedField);
  if (isDown && isPaused) entry.fault('a check is either down or paused', 'down');
  if (isDown) return { status: 'down', lastPingAt: lastPingAt ?? null };
  if (isPaused) return { status: 'paused', lastPingAt: lastPingAt ?? null };
  return lastPingAt === undefined ? undefined : { status: 'up', lastPingAt };
}

/** The API has one message for every wrong schedule. Here the reason is added for the person who edits the file. */
function withScheduleReason(entry: Entry, reason: string): string {
  const isAboutSchedule = reason.startsWith('schedule is not a valid');
  const why = isAboutSchedule ? scheduleFault(String(entry.value('schedule'))) : null;
  return why === null ? reason : `${reason}: ${why}`;
}

const kindField = refined(text(), `kind (known: ${CHANNEL_KINDS.join(', ')})`, (value) =>
  isChannelKind(value) ? value : null,
);

/** Accepts `"*"`, a comma-separated text as in the API, or a list. */
const integrationsField: Field<string> = {
  schema: channelsField.schema,
  read: (value, name) =>
    channelsField.read(
      Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join(',') : value,
      name,
    ),
};

/** One of a few known words. */
function chosenField<const T extends string>(what: string, known: readonly T[]): Field<T> {
  return refined(
    text(),
    `${what} (known: ${known.join(', ')})`,
    (value) => known.find((one) => one === value) ?? null,
  );
}

function keyField(faultOf: (key: string) => string | null): Field<string> {
  const base = text();
  return {
    schema: base.schema,
    read(value, name) {
      const key = base.read(value, name);
      if (key instanceof Fault) return key;
      const reason = faultOf(key);
      return reason === null ? key : new Fault(`${name} ${reason}`);
    },
  };
}

function lowerCase(field: Field<string>): Field<string> {
  return {
    schema: field.schema,
    read(value, name) {
      const read = field.read(value, name);
      return read instanceof Fault ? read : read.toLowerCase();
    },
  };
}

function required<T>(entry: Entry, key: string, field: Field<T>): T | undefined {
  if (!entry.has(key)) entry.fault(`${key} is missing`);
  return optional(entry, key, field);
}

function optional<T>(entry: Entry, key: string, field: Field<T>): T | undefined {
  return entry.has(key) ? orFault(entry, key, field.read(entry.value(key), key)) : undefined;
}

function requiredSecret<T>(entry: Entry, key: string, field: Field<T>): T | undefined {
  if (!entry.has(key)) entry.fault(`${key} is missing`);
  return optionalSecret(entry, key, field);
}

function optionalSecret<T>(entry: Entry, key: string, field: Field<T>): T | undefined {
  return entry.has(key) ? orFault(entry, key, readSecret(field, entry.secret(key), key)) : undefined;
}

function readSecret<T>(field: Field<T>, secret: unknown, name: string): T | Fault {
  return secret instanceof Fault ? secret : field.read(secret, name);
}

function orFault<T>(entry: Entry, key: string, value: T | Fault): T | undefined {
  if (!(value instanceof Fault)) return value;
  entry.fault(value.reason, key);
  return undefined;
}

/** The place of the entry in the file, and its texts with variables. */
function at(entry: Entry): DeclaredAt {
  const written = entry.written();
  return { line: entry.line, ...(Object.keys(written).length > 0 && { written }) };
}

/** Returns an object with the key, or an empty one when there is no value. */
function present<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: T });
}

/** Checks with UUIDs may share slugs with each other, and not with a check that is meant by its slug. */
function repeatedChecks(lines: Lines, checks: readonly DeclaredCheck[]): FileFault[] {
  const bySlug = checks.filter(({ uuid }) => uuid === undefined);
  const byUuid = checks.filter(({ uuid }) => uuid !== undefined);
  const slugs = new Set(byUuid.map(({ slug }) => slug));
  return [
    ...repeated(lines, bySlug, 'slug', ({ slug }) => slug),
    ...repeated(lines, byUuid, 'UUID', identityOf),
    ...bySlug
      .filter(({ slug }) => slugs.has(slug))
      .map(({ line, slug }) => ({ line, reason: `slug ${slug} belongs to a check with a UUID, too` })),
  ];
}

function repeated<T extends { line: number }>(
  lines: Lines,
  entries: readonly T[],
  what: string,
  nameOf: (entry: T) => string,
  toldOf: (entry: T) => string = nameOf,
): FileFault[] {
  const seen = new Map<string, number>();
  return entries.flatMap((entry) => {
    const name = nameOf(entry);
    const first = seen.get(name);
    seen.set(name, first ?? entry.line);
    return first === undefined
      ? []
      : [
          {
            line: entry.line,
            reason: `${what} ${toldOf(entry)} is declared ${lines.mention(first)} already`,
          },
        ];
  });
}
