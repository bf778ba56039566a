import { isDeepStrictEqual } from 'node:util';
import { selectChannels } from '../domain/alert/channel-selection.ts';
import { type CheckEdit, editConfig } from '../domain/check/check-edit.ts';
import { editRules } from '../domain/check/run-rules.ts';
import { type CheckConfig, DEFAULT_CONFIG, SETTING_NAMES } from '../domain/check/settings.ts';
import { AppError } from '../domain/errors.ts';
import { isChannelKind, isStatefulBySettings, whyNotToldOfSuccess } from '../integrations/registry.ts';
import { Fault } from '../lib/fields.ts';
import {
  type Change,
  created,
  type DeclaredCheck,
  type DeclaredProject,
  type FieldChange,
  identityOf,
  removed,
  updated,
} from '../services/provisioning/declaration.ts';
import { CHECK_FIELDS, type CheckInput, fieldName, toCheckEdit } from '../wire/api/check-fields.ts';
import type { FileFault } from './document.ts';
import type { ApiAnswers } from './export.ts';
import { type ParentChange, type PlannedCheck, parentChanges } from './remote-links.ts';
import { type Told, textOf, uuidOf } from './told.ts';

/** One change of a project on a server, by its API. */
export interface RemoteStep {
  readonly change: Change;
  /** The UUID of the check. Null if it has to be created. */
  readonly uuid: string | null;
  /** What is sent. Null: the check is deleted. */
  readonly body: Told | null;
  /** Whether the new check has to be paused. */
  readonly pauses: boolean;
  /** The fields that still differ in the server's answer. */
  readonly left: (answer: Told) => readonly FieldChange[];
}

export interface RemotePlan {
  /**
   * Changes of checks that exist come first: a new check may take the slug that another one gives up. Parents come last, when
   * all checks are there.
   */
  readonly steps: readonly RemoteStep[];
  /** Deletes the checks that the file does not name. */
  readonly removals: readonly RemoteStep[];
  readonly faults: readonly FileFault[];
}

/** The integrations whose settings say whether they can be told of each success, by UUID. A list does not show settings. */
export function askedInDetail(
  { checks: declared }: Pick<DeclaredProject, 'checks'>,
  answers: ApiAnswers,
): readonly string[] {
  const known = fieldsOf(answers);
  if (!declared.some(({ done }) => done) || !knows('doneChannels', { known })) return [];
  return channelsOf(answers.channels)
    .filter(({ kind }) => isStatefulBySettings(kind))
    .map(({ uuid }) => uuid);
}

const fieldsOf = ({ checks }: Pick<ApiAnswers, 'checks'>): ReadonlySet<string> =>
  new Set(checks.flatMap(Object.keys));

/** Compares the declared checks of a project with those that a server tells. */
export function planRemote(
  { name: project, checks: declared }: Pick<DeclaredProject, 'name' | 'checks'>,
  answers: ApiAnswers,
): RemotePlan {
  const faults: FileFault[] = [];
  const kept = new Set<string>();
  const find = finder(declared, answers.checks);
  const server = { channels: answers.channels, known: fieldsOf(answers) };
  const planned: PlannedCheck[] = [];
  const steps = declared.flatMap((one): RemoteStep[] => {
    const found = orFault(one, faults, () => find(one));
    const differing = found && orFault(one, faults, () => differences(one, found.told, server));
    if (found === undefined || differing === undefined) return [];
    const label = `${project}/${one.slug || identityOf(one)}`;
    planned.push({ declared: one, told: found.told, label });
    const left = (answer: Told) => differences(one, answer, server).fields;
    const { fields, body } = differing;
    if (found.told === null) {
      const pauses = one.arrival?.status === 'paused';
      return [{ change: created('check', label), uuid: null, body: asNew(one, body), pauses, left }];
    }
    const uuid = uuidOf(found.told);
    kept.add(uuid);
    return updated('check', label, fields, one).map((change) => ({
      change,
      uuid,
      body,
      pauses: false,
      left,
    }));
  });
  const isNew = ({ uuid }: RemoteStep) => uuid === null;
  const parents = faults.length > 0 ? { changes: [], faults: [] } : parentChanges(planned, answers.checks);
  faults.push(...parents.faults);
  return {
    steps: [
      ...steps.filter((step) => !isNew(step)),
      ...steps.filter(isNew),
      ...parents.changes.map(parentStep),
    ],
    removals: answers.checks
      .filter((check) => !kept.has(uuidOf(check)))
      .map((check) => {
        const change = removed('check', `${project}/${textOf(check.slug) || uuidOf(check)}`);
        return { change, uuid: uuidOf(check), body: null, pauses: false, left: () => [] };
      }),
    faults,
  };
}

function parentStep({ of, was, became, sent, there }: ParentChange): RemoteStep {
  const { declared, told, label } = of;
  const [change] = updated('check', label, [{ name: 'parents', was, became }], declared);
  if (change === undefined) throw new Error('unreachable: a field has changed');
  const body = { parents: sent };
  return {
    change,
    ...{ uuid: told && uuidOf(told), body: told === null ? asNew(declared, body) : body, pauses: false },
    left(answer) {
      const kept = Array.isArray(answer.parents) ? answer.parents.map(textOf) : [];
      // The UUIDs of parents that were made just now are not known.
      const isSame = kept.length === sent.length && there.every((uuid) => kept.includes(uuid));
      return isSame ? [] : [{ name: 'parents', was: kept, became }];
    },
  };
}

/** A reason why the server cannot get the check as it is declared. */
class Impossible extends Error {}

function orFault<T>({ line }: DeclaredCheck, faults: FileFault[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Impossible)) throw error;
    faults.push({ line, reason: error.message });
    return undefined;
  }
}

/** Finds the check of the server that is meant: by its UUID, else by its slug. */
function finder(declared: readonly DeclaredCheck[], checks: ApiAnswers['checks']) {
  const byUuid = new Map(checks.map((check) => [uuidOf(check), check]));
  const named = new Set(declared.flatMap(({ uuid }) => uuid ?? []));
  const bySlug = Map.groupBy(
    checks.filter((check) => !named.has(uuidOf(check))),
    ({ slug }) => textOf(slug),
  );
  return ({ uuid, slug, arrival }: DeclaredCheck): { readonly told: Told | null } => {
    const [told, ...others] = uuid === undefined ? (bySlug.get(slug) ?? []) : [byUuid.get(uuid)];
    if (others.length > 0) throw new Impossible(`the server has several checks ${slug}; name the UUID`);
    if (told !== undefined) return { told };
    if (uuid !== undefined) throw new Impossible(`the server has no check ${uuid}, and gives UUIDs itself`);
    if (arrival !== undefined && arrival.status !== 'paused')
      throw new Impossible(`the server cannot make the check ${slug} with last_ping or down`);
    return { told: null };
  };
}

/** The server, as far as one check depends on the others. */
interface Server {
  readonly channels: ApiAnswers['channels'];
  /** Names of fields that it tells of checks. Empty if it has none. */
  readonly known: ReadonlySet<string>;
}

/** The settings that differ from what the server tells, and what is sent to change them. Null: there is no such check. */
function differences(
  declared: DeclaredCheck,
  told: Told | null,
  server: Server,
): { readonly fields: readonly FieldChange[]; readonly body: Told } {
  const { edit } = declared;
  const before = told === null ? {} : configOf(told);
  const after = editConfig({ ...DEFAULT_CONFIG, ...before }, edit);
  const initial = told === null ? withoutGiven(edit) : before;
  const names = SETTING_NAMES.filter(
    (name) =>
      isTold(name, before, after, edit) && initial[name] !== after[name] && isKnown(name, after, server),
  );
  const fields = names.map((name) => ({ name, was: before[name], became: after[name] }));
  const sent = names
    .filter((name) => name !== 'kind')
    .map((name) => [fieldName(name), name === 'runRules' ? edit.runRules : after[name]]);
  const channels = reassigned(declared, told, server.channels);
  const done = toldOfSuccess(declared, told, server);
  if (declared.parents !== undefined) requireKnown('parents', declared.parents === '', server);
  return {
    fields: [...fields, ...(channels?.changes ?? []), ...(done?.changes ?? [])],
    body: {
      ...Object.fromEntries(sent),
      ...(channels !== null && { channels: channels.sent }),
      ...(done !== null && { done_channels: done.sent }),
    },
  };
}

/** The usual values of fields that the file does not name. A new check has them without being told. */
function withoutGiven(edit: CheckEdit): Partial<CheckConfig> {
  return Object.fromEntries(Object.entries(DEFAULT_CONFIG).filter(([name]) => !(name in edit)));
}

/** A repeated request finds the check that the first one has made. */
function asNew({ slug }: DeclaredCheck, body: Told): Told {
  return { ...body, slug, unique: ['slug'] };
}

/** Servers tell the timing of the check's own kind alone. */
function isTold(
  name: keyof CheckConfig,
  before: Partial<CheckConfig>,
  after: CheckConfig,
  edit: CheckEdit,
): boolean {
  if (name === 'timeoutSeconds') return after.kind === 'simple';
  if (name === 'schedule') return after.kind !== 'simple';
  if (name === 'tz') return after.kind !== 'simple' && (before.tz ?? edit.tz) !== undefined;
  return true;
}

/** Servers tell these only where they are set, and those that know them also tell who has set a field. */
const TOLD_WHERE_SET: readonly (keyof CheckConfig)[] = ['runRules', 'policy', 'parents', 'doneChannels'];

/** Older servers lack some fields. Those are not sent. */
function isKnown(name: keyof CheckConfig, after: CheckConfig, server: Server): boolean {
  const isTiming = name === 'kind' || name === 'timeoutSeconds' || name === 'schedule' || name === 'tz';
  return isTiming || requireKnown(name, after[name] === DEFAULT_CONFIG[name], server);
}

/** Whether the server knows the field, as far as its answers say. */
function knows(name: keyof CheckConfig, { known }: Pick<Server, 'known'>): boolean {
  return known.size === 0 || known.has(TOLD_WHERE_SET.includes(name) ? 'sources' : fieldName(name));
}

/** Whether the server knows the field. One that does not cannot keep any other than the usual value. */
function requireKnown(name: keyof CheckConfig, isUsual: boolean, server: Server): boolean {
  if (knows(name, server)) return true;
  if (!isUsual) throw new Impossible(`the server does not know ${fieldName(name)}`);
  return false;
}

/** A value that our rules refuse stays as it is told. */
function configOf(told: Told): Partial<CheckConfig> {
  const read = Object.entries(CHECK_FIELDS)
    .filter(([name]) => name in told && name !== 'subject' && name !== 'subject_fail')
    .map(([name, field]) => {
      const value = field.read(told[name], name);
      return [name, value instanceof Fault ? told[name] : value];
    });
  // Each value was read by the field of its name, or is only compared and shown.
  const { schedule, runRules = {}, ...others } = toCheckEdit(Object.fromEntries(read) as CheckInput, 3);
  const unset = Object.fromEntries(TOLD_WHERE_SET.map((name) => [name, DEFAULT_CONFIG[name]]));
  const plain = { ...unset, ...others, runRules: editRules('', runRules) };
  if (schedule === undefined) return { ...plain, kind: 'simple' };
  return { ...plain, kind: schedule.kind ?? 'cron', schedule: schedule.expression ?? textOf(told.schedule) };
}

/** A change of what is sent as a list of integrations. */
interface ChannelChange {
  readonly changes: readonly FieldChange[];
  readonly sent: string;
}

/** An integration as the server tells it. */
interface ToldChannel {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly kind: string;
  /** Absent, unless the settings were asked for. */
  readonly settings?: unknown;
}

function channelsOf(channels: ApiAnswers['channels']): readonly ToldChannel[] {
  return channels.map(({ id: uuid, name, kind, settings }, id) => ({
    ...{ id, uuid: textOf(uuid), name: textOf(name), kind: textOf(kind), settings },
  }));
}

const uuidsOf = (value: unknown): readonly string[] => textOf(value).split(',');
const namesOf = (some: readonly ToldChannel[]) => some.map(({ name, kind }) => name || kind);

/** The change of the assignment. Null if there is none. */
function reassigned(
  { channels: value }: DeclaredCheck,
  told: Told | null,
  channels: ApiAnswers['channels'],
): ChannelChange | null {
  if (value === undefined) return null;
  const all = channelsOf(channels);
  const before = all.filter(({ uuid }) => uuidsOf(told?.channels).includes(uuid));
  const after = selected(value, all);
  if (isDeepStrictEqual(new Set(before), new Set(after))) return null;
  return {
    changes: [{ name: 'integrations', was: namesOf(before), became: namesOf(after) }],
    sent: after.map(({ uuid }) => uuid).join(','),
  };
}

/** The change of who is told of each success. Servers tell only of integrations that are assigned to the check. */
function toldOfSuccess(
  { channels: assigned, done }: DeclaredCheck,
  told: Told | null,
  server: Server,
): ChannelChange | null {
  if (done === undefined) return null;
  requireKnown('doneChannels', done === '', server);
  const all = channelsOf(server.channels);
  const before = all.filter(({ uuid }) => uuidsOf(told?.done_channels).includes(uuid));
  const heard =
    assigned === undefined
      ? all.filter(({ uuid }) => uuidsOf(told?.channels).includes(uuid))
      : selected(assigned, all);
  const meant = selected(done, all).filter((channel) => done !== '*' || whyMute(channel) === null);
  const mute = meant.map(whyMute).find((reason) => reason !== null);
  if (mute !== undefined) throw new Impossible(`done: ${mute}`);
  const after = meant.filter((channel) => heard.includes(channel));
  // The server may tell more kinds than are known here.
  const isSame =
    after.every((channel) => before.includes(channel)) && (done === '*' || after.length === before.length);
  if (isSame) return null;
  return {
    changes: [{ name: 'done', was: namesOf(before), became: namesOf(after) }],
    sent: done === '*' ? done : meant.map(({ uuid }) => uuid).join(','),
  };
}

/** Why the integration cannot be told of each success. Null if it can, or if only the server knows its kind. */
function whyMute({ settings = {}, ...channel }: ToldChannel): string | null {
  if (!isChannelKind(channel.kind)) return null;
  return whyNotToldOfSuccess({ ...channel, settings: { open: settings, sealed: null } });
}

function selected<T extends { readonly id: number; readonly uuid: string; readonly name: string }>(
  value: string,
  channels: readonly T[],
): T[] {
  try {
    return selectChannels(value, channels);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new Impossible(error.message.replace('channel identifier', 'integration'));
  }
}
