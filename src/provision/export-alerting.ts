import { AT_ONCE_NAME } from '../domain/policy/presets.ts';
import { readRules } from '../domain/policy/rules.ts';
import { Fault, type Fields, readFields } from '../lib/fields.ts';
import { fromIso } from '../lib/instant.ts';
import { CALENDAR_FIELDS } from '../wire/api/calendar-input.ts';
import { ALERTING_FIELDS, POLICY_NAME_FIELD } from '../wire/api/policy-input.ts';
import { QUIET_TIME_FIELDS } from '../wire/api/quiet-time-input.ts';
import { listOf, quoted, type Told, textOf } from './told.ts';

/** How outages of a project are told, as a server tells it, and its quiet times. */
export interface ToldAlerting {
  /** What counts for the project, and for tags. */
  readonly alerting: Told;
  readonly calendars: readonly Told[];
  readonly policies: readonly Told[];
  readonly quietTimes: readonly Told[];
}

const NOTHING: ToldAlerting = { alerting: {}, calendars: [], policies: [], quietTimes: [] };

/** What the file has that its other entries name. */
interface Present {
  /** Names of integrations by their UUIDs. */
  readonly channels: ReadonlyMap<string, string>;
  /** UUIDs of checks. */
  readonly checks: ReadonlySet<string>;
}

/** An entry of the file. One that names integrations is a comment until somebody fills those in. */
interface Entry {
  readonly fields: Told;
  readonly isComment: boolean;
}

/** Writes how outages are told, for another instance. Parts that cannot be moved are remarked. */
export class AlertingExport {
  /** Of the project. */
  readonly lines: readonly string[];
  readonly remarks: readonly string[];
  /** By name. */
  readonly #policies: ReadonlyMap<string, Entry>;

  /** `told` is null if the server knows nothing of it. */
  constructor(told: ToldAlerting | null, present: Present) {
    const { alerting, calendars, policies, quietTimes } = told ?? NOTHING;
    const remarks: string[] = [];
    const hours = byName(calendars).flatMap((one) => calendarEntry(one, remarks));
    const known = new Set(hours.map(({ fields }) => fields.name));
    const own = byName(policies).flatMap((one) => policyEntry(one, known, present, remarks));
    this.#policies = new Map(own.map((one) => [textOf(one.fields.name), one]));
    const policy = textOf(alerting.policy);
    const isOfProject = policy !== '' && policy !== AT_ONCE_NAME;
    this.lines = [
      ...listLines('calendars', hours),
      ...listLines('policies', own),
      ...(isOfProject ? this.policyLines(policy, 'the project', remarks) : []).map((line) => `    ${line}`),
      ...listLines('tags', this.#tagEntries(alerting.tags, remarks)),
      ...listLines('quiet_times', quietEntries(quietTimes, present, remarks)),
    ];
    const later = own.filter(({ isComment }) => isComment).length;
    if (later > 0)
      remarks.push(`Policies that are comments until their integrations are filled in: ${later}.`);
    this.remarks = remarks;
  }

  /** The line of an entry that this policy counts for. Nothing if the file does not have it. */
  policyLines(name: string, of: string, remarks: string[]): readonly string[] {
    const policy = this.#policies.get(name);
    if (policy !== undefined || name === AT_ONCE_NAME)
      return [`${policy?.isComment === true ? '# ' : ''}policy: ${quoted(name)}`];
    remarks.push(`Not moved: the policy of ${of}: ${name} is not known`);
    return [];
  }

  #tagEntries(told: unknown, remarks: string[]): Entry[] {
    const tags = ALERTING_FIELDS.tags.read(listOf(told), 'tags');
    if (tags instanceof Fault) {
      remarks.push(`Not moved: the policies of tags: ${tags.reason}`);
      return [];
    }
    return tags.flatMap(({ tag, policy, asOne }): Entry[] => {
      const own = this.#policies.get(policy);
      const isKnown = own !== undefined || policy === AT_ONCE_NAME;
      if (!isKnown && policy !== '')
        remarks.push(`Not moved: the policy of the tag ${tag}: ${policy} is not known`);
      if (!isKnown && !asOne) return [];
      const fields = { tag, policy: isKnown ? policy : undefined, as_one: asOne || undefined };
      return [{ fields, isComment: own?.isComment === true }];
    });
  }
}

/** Those that are made later come where they came before. */
function byName(entries: readonly Told[]): readonly Told[] {
  return entries.toSorted((one, other) => (textOf(one.name) < textOf(other.name) ? -1 : 1));
}

function calendarEntry(told: Told, remarks: string[]): Entry[] {
  const { name, schedule, tz, duration, except } = told;
  const reason = faultOf(CALENDAR_FIELDS, told, ['name', 'schedule', 'duration']);
  if (reason !== null) return notMoved('calendar', told, reason, remarks);
  return plain({ name, schedule, tz, duration, except: some(listOf(except)) });
}

function policyEntry(
  { uuid: _uuid, name, ...given }: Told,
  calendars: ReadonlySet<unknown>,
  { channels }: Present,
  remarks: string[],
): Entry[] {
  const read = POLICY_NAME_FIELD.read(name, 'name');
  const rules = readRules(given);
  for (const one of [read, rules])
    if (one instanceof Fault) return notMoved('policy', { name }, one.reason, remarks);
  if (rules instanceof Fault) return [];
  const isTimed = calendars.has(rules.hours);
  if (rules.hours && !isTimed)
    remarks.push(`Not moved: the hours of the policy ${textOf(name)}: ${rules.hours} is not known`);
  // Nobody is told by a step whose integrations are gone.
  const steps = (rules.then ?? [])
    .map(({ after, tell }) => ({ after, tell: tell.flatMap((uuid) => channels.get(uuid) ?? []) }))
    .filter(({ tell }) => tell.length > 0);
  // biome-ignore lint/suspicious/noThenProperty: it is the name in files, and its value is no function.
  const fields = { name, ...rules, hours: isTimed ? rules.hours : undefined, then: some(steps) };
  return [{ fields, isComment: steps.length > 0 }];
}

/** A file names each once. Those that are over are left out, and so is one whose checks are gone: it would be about all. */
function quietEntries(quietTimes: readonly Told[], { checks: moved }: Present, remarks: string[]): Entry[] {
  const names = new Set<unknown>();
  return quietTimes.flatMap((told): Entry[] => {
    const { name, reason, tags, state, schedule, tz, duration, from, until } = told;
    const isOnce = schedule === null;
    if (isOnce && state === 'over') return [];
    const { from: _from, until: _until, ...plainFields } = QUIET_TIME_FIELDS;
    const given = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null));
    const checks = listOf(told.checks).filter((uuid) => moved.has(textOf(uuid)));
    const isGone = told.whole_project !== true && textOf(tags) === '' && checks.length === 0;
    const isTimed = !isOnce || (fromIso(textOf(from)) !== null && fromIso(textOf(until)) !== null);
    const fault =
      faultOf(plainFields, given, ['name']) ??
      (isGone ? 'its checks are gone' : null) ??
      (names.has(name) ? 'another one has this name' : null) ??
      (isTimed ? null : 'its times cannot be read');
    if (fault !== null) return notMoved('quiet time', told, fault, remarks);
    names.add(name);
    return plain({
      ...{ name, reason: textOf(reason) || undefined, tags: textOf(tags) || undefined, checks: some(checks) },
      ...(isOnce ? { from, until } : { schedule, tz, duration }),
    });
  });
}

/** Why the entry cannot be written. Null: it can. */
function faultOf(fields: Fields, told: Told, required: readonly string[]): string | null {
  const read = readFields(fields, told);
  if (read instanceof Fault) return read.reason;
  const missing = required.find((name) => !(name in told));
  return missing === undefined ? null : `${missing} is missing`;
}

function notMoved(what: string, { name }: Told, reason: string, remarks: string[]): [] {
  remarks.push(`Not moved: the ${what} ${textOf(name)}: ${reason}`);
  return [];
}

const plain = (fields: Told): Entry[] => [{ fields, isComment: false }];

const some = <T>(items: readonly T[]): readonly T[] | undefined => (items.length === 0 ? undefined : items);

/** A list whose entries are all comments is one, too. */
function listLines(key: string, entries: readonly Entry[]): string[] {
  if (entries.length === 0) return [];
  const [begin, item] = entries.every(({ isComment }) => isComment) ? ['# ', '#   - '] : ['', '  - '];
  return [
    `    ${begin}${key}:`,
    ...entries.map(({ fields, isComment }) => {
      const mark = isComment && begin === '' ? '  # - ' : item;
      const given = Object.entries(fields).filter(([, value]) => value !== undefined);
      return `    ${mark}{ ${given.map(([name, value]) => `${name}: ${quoted(value)}`).join(', ')} }`;
    }),
  ];
}
