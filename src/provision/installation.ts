import { uniqueKeyOf } from '../domain/check/check.ts';
import { listed } from '../domain/check/check-links.ts';
import type { QuietTime } from '../domain/check/quiet-time.ts';
import { DEFAULT_CONFIG } from '../domain/check/settings.ts';
import { DEFAULT_SOURCE } from '../domain/declaration-source.ts';
import { type AccountLimits, REMINDER_PERIODS, REMINDER_SECONDS } from '../domain/people/account.ts';
import { encodeDialects } from '../domain/ping/dialect.ts';
import { type PolicyRules, policyRules } from '../domain/policy/rules.ts';
import { datesOf } from '../domain/policy/stored-calendar.ts';
import { slugOf } from '../domain/slug.ts';
import { isChannelKind, settingTable } from '../integrations/registry.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { DEFAULT_DATE_STYLE } from '../lib/text/date-style.ts';
import type { Installation, KnownAccount, ProjectContents } from '../services/provisioning/installation.ts';
import { UNNAMED_KEY } from '../services/provisioning/keys.ts';
import { CHECK_FIELDS, namedSettings } from '../wire/api/check-fields.ts';
import { settingKey } from './parse.ts';

/** An entry by the names that files use. Undefined values are left out. */
type Spelled = Readonly<Record<string, unknown>>;

export interface ExportedFile {
  /** Its name in the folder. */
  readonly name: string;
  readonly text: string;
}

export interface ExportedInstallation {
  readonly files: readonly ExportedFile[];
  /** The values of the variables that the files name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** What the files do not carry, a line each. */
  readonly remarks: readonly string[];
}

/** Writes an installation as provisioning files: one for accounts, one for each project, one for tokens. */
export function exportInstallation(
  { sources, accounts, projects }: Installation,
  defaultLimits: AccountLimits,
): ExportedInstallation {
  const secrets = new Secrets();
  const remarks: string[] = [];
  const sorted = projects.toSorted(byText(({ project }) => [project.name, project.uuid]));
  const people = accounts.toSorted(byText(({ account }) => [account.email]));
  const names = fileNames(sorted);
  const entries = people.map((one) => accountEntry(one, defaultLimits));
  const [only = DEFAULT_SOURCE] = sources.length === 1 ? sources : [];
  const source = other(only, DEFAULT_SOURCE);
  const isMixed = sources.length > 1;
  const mixed = `Several sources declare these entries: ${sources.map((one) => JSON.stringify(one)).join(', ')}.`;
  const head = isMixed
    ? `# ${mixed}\n# Where they do, apply this with --take-over, and those files no longer.\n`
    : '';
  if (isMixed) remarks.push(`${mixed} To apply the files here needs --take-over.`);
  const files = [
    { name: 'accounts.yaml', text: `${head}${fileText({ source, accounts: entries })}` },
    ...sorted.map((one, index) => ({
      name: names[index] ?? '',
      text: fileText({ projects: [projectEntry(one, secrets, remarks)] }),
    })),
    { name: 'tokens.yaml', text: fileText({ tokens: tokenEntries(people, sorted) }) },
  ].filter(({ text }) => text !== '');
  for (const { account } of people)
    if (!account.isActive)
      remarks.push(`The account ${account.email} is not active here. A file cannot say so.`);
  if (secrets.values.size > 0)
    remarks.push(`Secrets are variables: ${secrets.values.size}. --secrets-to writes their values.`);
  remarks.push(
    'Passwords, second factors, API keys, and tokens of walls and accounts cannot be read, and do not move.',
  );
  return { files, secrets: secrets.values, remarks };
}

/** All files in one. */
export function joinedText(files: readonly ExportedFile[]): string {
  const projects = files.filter(({ text }) => text.startsWith('projects:\n'));
  const texts = files.map((file) =>
    projects.indexOf(file) > 0 ? file.text.replace('projects:\n', '') : file.text,
  );
  return texts.join('');
}

/** Gives each secret a variable. */
class Secrets {
  readonly values = new Map<string, string>();

  /** `${ALPHA_SLACK_OPS_URL}` */
  reference(words: readonly string[], value: string): Raw {
    const plain = words
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const name = /^[A-Z]/.test(plain) ? plain : `P_${plain}`;
    let free = name;
    for (let n = 2; this.values.has(free); n++) free = `${name}_${n}`;
    this.values.set(free, value);
    return new Raw(`\${${free}}`);
  }

  /** Every text in the value is a secret. */
  within(words: readonly string[], value: unknown): unknown {
    if (typeof value === 'string') return value === '' ? value : this.reference(words, value);
    if (Array.isArray(value))
      return value.map((item, index) => this.within([...words, String(index + 1)], item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.within([...words, key], item)]),
    );
  }
}

/** A text in which `${` names a variable. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const DEFAULTS: Spelled = namedSettings(DEFAULT_CONFIG);

function accountEntry({ account, preferences }: KnownAccount, defaultLimits: AccountLimits): Spelled {
  const { email, name, isAdmin, theme, limits } = account;
  const reminders = REMINDER_PERIODS.find(
    (period) => REMINDER_SECONDS[period] === preferences?.reminderSeconds,
  );
  return {
    email,
    name: name || undefined,
    admin: isAdmin || undefined,
    theme: other(theme, 'system'),
    limits:
      limits.checks === defaultLimits.checks && limits.pings === defaultLimits.pings ? undefined : limits,
    tz: other(preferences?.tz, 'UTC'),
    reports: other(preferences?.reports, 'monthly'),
    reminders: other(reminders, 'off'),
    language: other(preferences?.language, DEFAULT_DATE_STYLE.language),
    date_format: other(preferences?.dateFormat, DEFAULT_DATE_STYLE.dateFormat),
    clock: other(preferences?.clock, DEFAULT_DATE_STYLE.clock),
  };
}

/** The value, unless it is the default. */
const other = <T>(value: T, initial: T): T | undefined => (value === initial ? undefined : value);

function projectEntry(contents: ProjectContents, secrets: Secrets, remarks: string[]): Spelled {
  const { project, owner, members, pingKey, checks, channels, apiKeys, statusPages, walls, views } = contents;
  const { uuid, name } = project;
  const channelNames = uniqueNames(channels.map(({ channel }) => channel));
  return {
    uuid,
    name,
    owner,
    job_declarations: contents.jobDeclarations === 'off' ? undefined : contents.jobDeclarations,
    members: members.toSorted(byText(({ email }) => [email])).map(({ email, role }) => ({ email, role })),
    keys: pingKey === null ? undefined : { ping: secrets.reference([name, 'ping_key'], pingKey) },
    api_keys: firstOfEach(
      apiKeys.filter((key) => key.name !== UNNAMED_KEY),
      (key) => key.name,
    )
      .toSorted(byText((key) => [key.name, key.kind]))
      .map((key) => ({ name: key.name, kind: key.kind, expires: toIsoSeconds(key.expiresAt) ?? undefined })),
    integrations: channels
      // A group names others, which come first.
      .toSorted(byText(({ channel }) => [channel.kind, channel.name, channel.uuid]))
      .map((one) => channelEntry(name, one, secrets, remarks)),
    ...alertingEntries(contents, channelNames),
    checks: checks
      .toSorted(byText(({ check }) => [check.slug, check.name, check.uuid]))
      .map((one) => checkEntry(name, one, channelNames, parentNames(checks), secrets)),
    quiet_times: quietEntries(contents, remarks),
    dialects: dialectsEntry(contents, secrets),
    status_pages: statusPages
      .toSorted(byText(({ slug }) => [slug]))
      .map((page) => pageEntry(page, checks, remarks)),
    walls: firstOfEach(walls, (wall) => wall.name)
      .toSorted(byText((wall) => [wall.name]))
      .map((wall) => ({ name: wall.name })),
    views: views
      .toSorted(byText(({ keeperEmail, name: view }) => [keeperEmail, view]))
      .map(({ name: view, keeperEmail, query, isShared }) => ({
        ...{ name: view, owner: keeperEmail, query, shared: isShared || undefined },
      })),
  };
}

/** Policies, and what uses them. */
function alertingEntries(
  { calendars, policies, tagPolicies }: ProjectContents,
  channelNames: ReadonlyMap<string, string>,
): Spelled {
  const calendarNames = new Map(calendars.map(({ uuid, name }) => [uuid, name]));
  return {
    calendars: calendars
      .toSorted(byText(({ name }) => [name]))
      .map(({ name, schedule, tz, durationSeconds, exceptDates }) => ({
        ...{ name, schedule, tz: other(tz, 'UTC'), duration: durationSeconds },
        except: some(datesOf(exceptDates)),
      })),
    policies: policies
      .toSorted(byText(({ name }) => [name]))
      .map(({ name, rules }) => ({ name, ...withNames(policyRules(rules), channelNames, calendarNames) })),
    policy: policies.find(({ isDefault }) => isDefault)?.name,
    tags: tagPolicies.map(({ tag, policy, asOne }) => ({
      tag,
      policy: policy === '' ? undefined : policy,
      as_one: asOne || undefined,
    })),
  };
}

function withNames(
  rules: PolicyRules,
  channelNames: ReadonlyMap<string, string>,
  calendarNames: ReadonlyMap<string, string>,
): Spelled {
  const hours = rules.hours && calendarNames.get(rules.hours);
  const steps = rules.then?.map(({ after, tell }) => ({
    after,
    tell: tell.flatMap((uuid) => channelNames.get(uuid) ?? []),
  }));
  // Nobody is told by a step whose integrations are gone.
  // biome-ignore lint/suspicious/noThenProperty: it is the name in files, and its value is no function.
  return { ...rules, hours, then: steps?.filter(({ tell }) => tell.length > 0) };
}

/** A file names each once. Spans that are over are left out, and so is one whose checks are gone: it would be about all. */
function quietEntries({ project, checks, quietTimes }: ProjectContents, remarks: string[]): Spelled[] {
  const named = parentNames(checks);
  const names = new Map(checks.map(({ check }) => [check.id, named.get(check.uniqueKey)]));
  const namesOf = ({ checkIds }: QuietTime) => checkIds.flatMap((id) => names.get(id) ?? []).toSorted();
  const isGone = (one: QuietTime) => one.checkIds.length > 0 && one.tags === '' && namesOf(one).length === 0;
  for (const { name } of quietTimes.filter(isGone))
    remarks.push(`The checks of the quiet time ${name} of ${project.name} are gone, and it is left out.`);
  const present = quietTimes.filter((one) => !isGone(one));
  const unique = firstOfEach(present, ({ name }) => name);
  for (const other of present.filter((one) => !unique.includes(one)))
    remarks.push(`Another quiet time of ${project.name} is called ${other.name}, and is left out.`);
  return unique.toSorted(byText(({ name }) => [name])).map((one) => ({
    ...{ name: one.name, reason: one.reason || undefined, tags: one.tags || undefined },
    checks: some(namesOf(one)),
    ...quietTiming(one),
  }));
}

function quietTiming({
  fromAt,
  untilAt,
  schedule,
  tz,
  durationSeconds,
}: Pick<QuietTime, 'fromAt' | 'untilAt' | 'schedule' | 'tz' | 'durationSeconds'>): Spelled {
  if (untilAt === null) return { schedule, tz: other(tz, 'UTC'), duration: durationSeconds };
  return { from: toIsoSeconds(fromAt), until: toIsoSeconds(untilAt) };
}

/** The names by which integrations can be meant. Others are meant by their UUIDs. */
function uniqueNames(
  channels: readonly { readonly uuid: string; readonly name: string }[],
): Map<string, string> {
  const counts = Map.groupBy(channels, ({ name }) => name.trim());
  return new Map(
    channels.map(({ uuid, name }) => {
      const isAlone = name.trim() !== '' && counts.get(name.trim())?.length === 1 && !name.includes(',');
      return [uuid, isAlone ? name : uuid];
    }),
  );
}

function channelEntry(
  project: string,
  { channel, settings }: ProjectContents['channels'][number],
  secrets: Secrets,
  remarks: string[],
): Spelled {
  const { uuid, kind, name, verified } = channel;
  if (settings === null)
    remarks.push(`The settings of the integration ${name || kind} of ${project} cannot be read.`);
  const table = isChannelKind(kind) ? settingTable(kind) : {};
  const spelled = Object.entries(settings ?? {})
    .filter(([setting, value]) => value !== null && !(setting === 'name' && value === ''))
    .map(([setting, value]) => {
      const isSecret = table[setting]?.secret === true;
      return [settingKey(setting), isSecret ? secrets.within([project, kind, name, setting], value) : value];
    });
  const confirmed = kind === 'email' ? { verified: verified || undefined } : {};
  return { uuid, kind, name: name || undefined, ...confirmed, ...Object.fromEntries(spelled) };
}

/** The names by which checks are meant as parents, by their unique keys: their slugs, where only one has it. */
function parentNames(checks: ProjectContents['checks']): Map<string, string> {
  const counts = Map.groupBy(checks, ({ check }) => check.slug);
  return new Map(
    checks.map(({ check: { uniqueKey, slug, uuid } }) => [
      uniqueKey,
      slug !== '' && counts.get(slug)?.length === 1 ? slug : uuid,
    ]),
  );
}

function checkEntry(
  project: string,
  { check, channelUuids, aliases }: ProjectContents['checks'][number],
  channelNames: ReadonlyMap<string, string>,
  checkNames: ReadonlyMap<string, string>,
  secrets: Secrets,
): Spelled {
  const named: Spelled = namedSettings(check);
  const unused = check.kind === 'simple' ? 'schedule' : 'timeout';
  const settings = Object.keys(CHECK_FIELDS)
    .filter((field) => field in named && !['slug', 'parents', 'done_channels', unused].includes(field))
    .filter((field) => named[field] !== DEFAULTS[field] || field === 'schedule')
    .map((field) => [field, named[field]]);
  return {
    uuid: check.uuid,
    slug: check.slug || undefined,
    ...Object.fromEntries(settings),
    paused: check.status === 'paused' || undefined,
    integrations: some(channelUuids.map((uuid) => channelNames.get(uuid) ?? uuid).toSorted()),
    parents: some(listed(check.parents).flatMap((key) => checkNames.get(key) ?? [])),
    done: some(listed(check.doneChannels).flatMap((uuid) => channelNames.get(uuid) ?? [])),
    aliases: aliases.map(({ dialect, token }) => ({
      dialect,
      token: secrets.reference([project, 'check', check.slug, dialect], token),
    })),
  };
}

const some = <T>(items: readonly T[]): readonly T[] | undefined => (items.length === 0 ? undefined : items);

function dialectsEntry(
  { project, dialects, aliases }: ProjectContents,
  secrets: Secrets,
): Spelled | undefined {
  if (encodeDialects(dialects) === null) return undefined;
  const keys = aliases
    .filter(({ dialect }) => dialect === 'cronitor')
    .map(({ token }) => secrets.reference([project.name, 'cronitor', 'key'], token));
  const { kuma, cronitor } = dialects;
  return {
    kuma: kuma || undefined,
    cronitor: cronitor === null ? undefined : { create: cronitor.create || undefined, keys: some(keys) },
  };
}

function pageEntry(
  { slug, title, about, tz, isPublished, components }: ProjectContents['statusPages'][number],
  checks: ProjectContents['checks'],
  remarks: string[],
): Spelled {
  const bySlug = Map.groupBy(checks, ({ check }) => check.slug);
  const nameOf = (key: string) => {
    const check = checks.find((one) => uniqueKeyOf(one.check.uuid) === key)?.check;
    if (check === undefined) return undefined;
    return check.slug !== '' && bySlug.get(check.slug)?.length === 1 ? check.slug : check.uuid;
  };
  return {
    slug,
    title,
    about: about || undefined,
    tz: other(tz, 'UTC'),
    published: isPublished || undefined,
    components: components.flatMap(({ name, group, covers }) => {
      const covered = 'tag' in covers ? covers : { check: nameOf(covers.check) };
      if ('tag' in covered || covered.check !== undefined)
        return [{ name, group: group || undefined, ...covered }];
      remarks.push(`The check of the component ${name} of the status page ${slug} is gone.`);
      return [];
    }),
  };
}

function tokenEntries(people: readonly KnownAccount[], projects: readonly ProjectContents[]): Spelled[] {
  const uuids = new Map(projects.map(({ project: { id, uuid } }) => [id, uuid]));
  return people.flatMap(({ account: { email }, tokens }) =>
    firstOfEach(tokens, ({ name }) => name)
      .toSorted(byText(({ name }) => [name]))
      .map(({ name, scopes, projectIds, expiresAt }) => ({
        account: email,
        name,
        scopes: scopes.toSorted(),
        projects:
          projectIds === null ? undefined : projectIds.flatMap((id) => uuids.get(id) ?? []).toSorted(),
        expires: toIsoSeconds(expiresAt) ?? undefined,
      })),
  );
}

/** Entries without their secrets are known by their names alone. A file names each once. */
function firstOfEach<T>(entries: readonly T[], nameOf: (entry: T) => string): T[] {
  return [...new Map(entries.toReversed().map((entry) => [nameOf(entry), entry])).values()];
}

/** The order of the installation itself changes with time. */
function byText<T>(keys: (one: T) => readonly string[]): (one: T, two: T) => number {
  const text = (one: T) => keys(one).join('\0');
  return (one, two) => (text(one) < text(two) ? -1 : text(one) > text(two) ? 1 : 0);
}

/** A name for the file of each project. */
function fileNames(projects: readonly ProjectContents[]): string[] {
  const slugs = projects.map(({ project }) => slugOf(project.name) || 'project');
  const isTaken = (slug: string) =>
    ['accounts', 'tokens'].includes(slug) || slugs.filter((one) => one === slug).length > 1;
  return projects.map(({ project }, index) => {
    const slug = slugs[index] ?? '';
    return `${isTaken(slug) ? `${slug}-${project.uuid.slice(0, 8)}` : slug}.yaml`;
  });
}

/** YAML: entries in lines, and all below them as JSON, which is YAML, too. Empty without entries. */
function fileText(file: Readonly<Record<string, string | readonly Spelled[] | undefined>>): string {
  const lines = blockLines(file, '');
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function blockLines(entry: Spelled, indent: string): string[] {
  return Object.entries(entry).flatMap(([key, value]) => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    if (!isEntryList(value)) return [`${indent}${key}: ${JSON.stringify(escaped(value))}`];
    const items = value.flatMap((item) => {
      const [first = '', ...rest] = blockLines(item, `${indent}    `);
      return [`${indent}  - ${first.trimStart()}`, ...rest];
    });
    return [`${indent}${key}:`, ...items];
  });
}

function isEntryList(value: unknown): value is readonly Spelled[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && !(item instanceof Raw));
}

/** A plain `${` would be a variable. */
function escaped(value: unknown): unknown {
  if (value instanceof Raw) return value.text;
  if (typeof value === 'string') return value.replaceAll('${', () => '$${');
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escaped(one)]));
}
