import { DEFAULT_CONFIG } from '../domain/check/settings.ts';
import { Fault, readFields } from '../lib/fields.ts';
import { CHECK_FIELDS, namedSettings } from '../wire/api/check-fields.ts';
import { AlertingExport, type ToldAlerting } from './export-alerting.ts';
import { timeField, UUID_V4 } from './parse.ts';
import { listOf, quoted, type Told, textOf, uuidOf } from './told.ts';

/** Facts of a project that the API does not tell. */
export interface ExportedProject {
  readonly name: string;
  readonly owner: string;
  /** Addresses with slugs work on only with the same ping key. */
  readonly pingKey: string | null;
}

/** The answers of a server with the API of version 3. */
export interface ApiAnswers {
  readonly checks: readonly Told[];
  readonly channels: readonly Told[];
}

export interface Export {
  /** A provisioning file. */
  readonly text: string;
  /** Parts that could not be moved, or have to be done by hand, a line each. */
  readonly remarks: readonly string[];
}

/** Defaults are not written. A schedule and its zone are always written. */
const { schedule: _schedule, tz: _tz, ...defaults } = namedSettings(DEFAULT_CONFIG);
const DEFAULTS: Readonly<Record<string, unknown>> = defaults;

// The older names of keywords say the same again. What a check says of others is written apart.
const {
  unique: _unique,
  channels: _channels,
  done_channels: _done,
  parents: _parents,
  policy: _policy,
  subject: _subject,
  subject_fail: _subjectFail,
  ...FIELDS
} = CHECK_FIELDS;

/**
 * Writes the checks of a project as a provisioning file, for another instance. The API does not tell how integrations are
 * set up, so these are comments to fill in.
 */
export function exportProject(
  project: ExportedProject,
  { checks, channels }: ApiAnswers,
  toldAlerting: ToldAlerting | null = null,
): Export {
  const names = channelNames(channels);
  const remarks: string[] = [];
  const movable = checks.filter((check) => canMove(check, remarks));
  const moved = new Set(movable.map(uuidOf));
  const alerting = new AlertingExport(toldAlerting, { channels: names, checks: moved });
  const written = movable.flatMap((check) => checkLines(check, { names, moved, alerting }, remarks));
  remarks.push(...alerting.remarks, ...stepsBeforeApplying(checks, channels), ...whatStays(project));
  const lines = [
    'accounts:',
    `  - email: ${quoted(project.owner)}`,
    'projects:',
    `  - name: ${quoted(project.name)}`,
    `    owner: ${quoted(project.owner)}`,
    ...(project.pingKey === null ? [] : [`    keys: { ping: ${quoted(project.pingKey)} }`]),
    ...integrationLines(channels, names),
    ...alerting.lines,
    ...(written.length === 0 ? [] : ['    checks:', ...written]),
  ];
  return { text: `${lines.join('\n')}\n`, remarks };
}

function* stepsBeforeApplying(
  checks: ApiAnswers['checks'],
  channels: ApiAnswers['channels'],
): Generator<string> {
  const alerting = checks.filter((check) => textOf(check.channels) !== '').length;
  if (channels.length > 0)
    yield `Fill in how the integrations are set up, before you apply the file: ${channels.length}. Checks that alert nobody until then: ${alerting}.`;
  const watched = checks.filter((check) => isUp(check) && lastPingOf(check) !== null).length;
  if (watched > 0)
    yield `Checks that go down there unless they ping in time, counted from their last ping in the file: ${watched}. Apply it soon, or export again.`;
}

function* whatStays({ pingKey }: ExportedProject): Generator<string> {
  yield 'API keys do not move. Give those that programs use in the file, as keys: { read_write: …, read_only: … }, or make new ones there.';
  if (pingKey === null)
    yield 'The ping key does not move without --ping-key. Jobs need it for addresses with slugs.';
  yield 'These stay behind as well: the log of pings, the history of statuses, members, status pages, and the addresses of badges.';
}

/** A name for each channel by its UUID. One that has no name, or not alone, is named by its kind and its UUID. */
function channelNames(channels: ApiAnswers['channels']): ReadonlyMap<string, string> {
  const counts = Map.groupBy(channels, ({ name }) => name);
  return new Map(
    channels.map(({ id, name, kind }) => {
      const isAlone = textOf(name).trim() !== '' && counts.get(name)?.length === 1;
      return [textOf(id), isAlone ? textOf(name) : `${textOf(kind)}-${textOf(id).slice(0, 8)}`];
    }),
  );
}

function integrationLines(
  channels: ApiAnswers['channels'],
  names: ReadonlyMap<string, string>,
): readonly string[] {
  if (channels.length === 0) return [];
  return [
    '    # Fill in how these are set up, and take the # away, here and below.',
    '    # integrations:',
    ...channels.map(
      ({ id, kind }) => `    #   - { kind: ${quoted(textOf(kind))}, name: ${quoted(names.get(textOf(id)))} }`,
    ),
  ];
}

function canMove(check: Told, remarks: string[]): boolean {
  const values = readFields(FIELDS, check);
  if (!(values instanceof Fault) && UUID_V4.test(uuidOf(check))) return true;
  const reason = values instanceof Fault ? values.reason : 'its UUID is not known';
  remarks.push(`Not moved: ${labelOf(check)}: ${reason}`);
  return false;
}

const labelOf = (check: Told): string =>
  textOf(check.name) || textOf(check.slug) || textOf(check.ping_url) || 'a check without a name';

/** What a check names. */
interface Named {
  /** Names of integrations by their UUIDs. */
  readonly names: ReadonlyMap<string, string>;
  /** UUIDs of the checks in the file. */
  readonly moved: ReadonlySet<string>;
  readonly alerting: AlertingExport;
}

function checkLines(check: Told, { names, moved, alerting }: Named, remarks: string[]): readonly string[] {
  const unwatched = unwatchedReason(check);
  if (unwatched !== null) remarks.push(`Not watched before its next ping: ${labelOf(check)}: ${unwatched}`);
  // In the server's spelling: a schedule that was parsed is not text any more.
  const settings = Object.keys(FIELDS)
    .filter((name) => name in check && check[name] !== DEFAULTS[name])
    .map((name) => `${name}: ${quoted(check[name])}`);
  const parents = listOf(check.parents).filter((uuid) => moved.has(textOf(uuid)));
  const policy = textOf(check.policy);
  const named = (uuids: unknown) =>
    textOf(uuids)
      .split(',')
      .flatMap((id) => names.get(id) ?? []);
  const channelLines = [
    ['integrations', named(check.channels)],
    ['done', named(check.done_channels)],
  ] as const;
  return [
    `      - uuid: ${uuidOf(check)}`,
    ...[
      ...settings,
      ...(policy === '' ? [] : alerting.policyLines(policy, labelOf(check), remarks)),
      ...(parents.length === 0 ? [] : [`parents: ${quoted(parents)}`]),
      ...arrivalLines(check),
      ...channelLines.filter(([, all]) => all.length > 0).map(([field, all]) => `# ${field}: ${quoted(all)}`),
    ].map((line) => `        ${line}`),
  ];
}

const isUp = ({ status }: Told): boolean =>
  // The API of version 1 calls a check that runs `started`.
  status === 'up' || status === 'grace' || status === 'started';

/** In the server's spelling. Null if there was none, or if it cannot be read. */
function lastPingOf({ last_ping: lastPing }: Told): string | null {
  return typeof lastPing === 'string' && !(timeField.read(lastPing, 'last_ping') instanceof Fault)
    ? lastPing
    : null;
}

/** The check's state for the other instance. A new check needs no line. */
function arrivalLines(check: Told): readonly string[] {
  const isDown = check.status === 'down';
  const isPaused = check.status === 'paused';
  const lastPing = isDown || isPaused || isUp(check) ? lastPingOf(check) : null;
  return [
    ...(lastPing === null ? [] : [`last_ping: ${quoted(lastPing)}`]),
    ...(isDown ? ['down: true'] : []),
    ...(isPaused ? ['paused: true'] : []),
  ];
}

/** Why a check comes as new although it has pinged. The API does not tell the run id, by which the end of a run is known. */
function unwatchedReason(check: Told): string | null {
  if (isUp(check) && lastPingOf(check) === null) return 'its last ping is not known';
  return check.status === 'new' && check.started === true ? 'its first run is under way' : null;
}
