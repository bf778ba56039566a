import { type Instant, seconds } from '../../lib/instant.ts';
import { ScheduleError, validateSchedule } from '../schedule/schedule.ts';
import { acceptedTimezone } from '../schedule/timezone.ts';
import { TEXT_LIMITS } from '../text-limits.ts';
import type { CheckEdit } from './check-edit.ts';
import { MAX_DURATION_SECONDS, MIN_DURATION_SECONDS } from './settings.ts';
import type { SourcedField } from './sources.ts';
import { splitTags } from './tags.ts';

/** Whether jobs may declare their checks: never, when a ping creates the check, or with every ping. */
export const DECLARATION_MODES = ['off', 'create', 'follow'] as const;

export type DeclarationMode = (typeof DECLARATION_MODES)[number];

/** The parameters of a ping address that declare its check. */
export const DECLARED_PARAMETERS = [
  'schedule',
  'timeout',
  'tz',
  'grace',
  'tags',
  'name',
  'channels',
] as const;

export type DeclaredParameter = (typeof DECLARED_PARAMETERS)[number];

/** The parameters that an address gives, as texts. */
export type GivenParameters = Readonly<Partial<Record<DeclaredParameter, string>>>;

/** Characters of a query with a declaration. */
export const MAX_DECLARATION = 2_000;

/** A declaration as it came with a ping. Most are equal to the one before, so it is read only if its digest is new. */
export interface JobDeclaration {
  readonly digest: string;
  /** The given parameters, as in a query. Null if it was too long. */
  readonly given: string | null;
  /** The server has failed to apply it. It is refused without being read. */
  readonly isUnapplied?: true;
}

/** The check that a job declares. */
export interface DeclaredCheck {
  readonly edit: CheckEdit;
  /** Names or UUIDs, for a check that has to be created. Null: all. */
  readonly channels: string | null;
}

/** Why a declaration is refused: `grace: …`. */
export class DeclarationFault {
  readonly reason: string;
  constructor(name: DeclaredParameter | 'query' | 'server', reason: string) {
    this.reason = `${name}: ${reason}`;
  }
}

/** The reason of a declaration that the server has failed to apply. */
export const UNAPPLIED = new DeclarationFault('server', 'it could not be applied');

/** The parameters of a declaration. */
export function parametersIn(given: string): GivenParameters {
  return Object.fromEntries(new URLSearchParams(given));
}

export function readDeclaration({
  given,
  isUnapplied,
}: Pick<JobDeclaration, 'given' | 'isUnapplied'>): DeclaredCheck | DeclarationFault {
  if (isUnapplied === true) return UNAPPLIED;
  if (given === null)
    return new DeclarationFault('query', `longer than ${MAX_DECLARATION.toLocaleString('en')} characters`);
  const { schedule, timeout, tz, grace, tags, name, channels = null } = parametersIn(given);
  if (schedule !== undefined && timeout !== undefined)
    return new DeclarationFault('schedule', 'there is a timeout, too');
  const parts = [
    schedule === undefined ? {} : readSchedule(schedule),
    timeout === undefined ? {} : readDuration('timeout', timeout, (timeoutSeconds) => ({ timeoutSeconds })),
    tz === undefined ? {} : readZone(tz),
    grace === undefined ? {} : readDuration('grace', grace, (graceSeconds) => ({ graceSeconds })),
    tags === undefined ? {} : readTags(tags),
    name === undefined ? {} : readText('name', name, TEXT_LIMITS.checkName),
  ];
  const fault = parts.find((part) => part instanceof DeclarationFault);
  return fault ?? { edit: Object.assign({}, ...parts), channels };
}

type Part = CheckEdit | DeclarationFault;

function readSchedule(expression: string): Part {
  if (expression.length > TEXT_LIMITS.checkSchedule) return tooLong('schedule', TEXT_LIMITS.checkSchedule);
  try {
    return { schedule: { kind: validateSchedule(expression), expression } };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return new DeclarationFault('schedule', error.message);
  }
}

function readZone(tz: string): Part {
  const zone = acceptedTimezone(tz);
  return zone === null ? new DeclarationFault('tz', `there is no time zone "${tz}"`) : { tz: zone };
}

const DURATION = /^(?=.)(?:(\d{1,9})w)?(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/;
const UNITS = [604_800, 86_400, 3_600, 60, 1];

/** Seconds, or a text such as `2h24m`. */
export function durationSeconds(text: string): number | null {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const parts = DURATION.exec(text)?.slice(1);
  return parts?.reduce((sum, part, index) => sum + Number(part ?? 0) * (UNITS[index] ?? 0), 0) ?? null;
}

function readDuration(name: 'timeout' | 'grace', text: string, edit: (duration: number) => CheckEdit): Part {
  const duration = durationSeconds(text);
  if (duration === null)
    return new DeclarationFault(name, `"${text}" is no duration such as 3600, 15m or 2h24m`);
  if (duration < MIN_DURATION_SECONDS)
    return new DeclarationFault(name, `shorter than ${MIN_DURATION_SECONDS} seconds`);
  return duration > MAX_DURATION_SECONDS
    ? new DeclarationFault(name, 'longer than 365 days')
    : edit(duration);
}

function readTags(text: string): Part {
  const tags = splitTags(text.replaceAll(',', ' ')).join(' ');
  return readText('tags', tags, TEXT_LIMITS.checkTags);
}

function readText(name: 'name' | 'tags', text: string, most: number): Part {
  if ([...text].length > most) return tooLong(name, most);
  // PostgreSQL stores no NUL.
  return text.includes('\0') || !text.isWellFormed()
    ? new DeclarationFault(name, 'no plain text')
    : { [name]: text };
}

function tooLong(name: DeclaredParameter, most: number): DeclarationFault {
  return new DeclarationFault(name, `longer than ${most} characters`);
}

/** The parameters of these fields, as the job knows them. */
export function parametersOf(fields: readonly SourcedField[], { edit }: DeclaredCheck): string {
  const timing = edit.schedule === undefined ? 'timeout' : 'schedule';
  return fields.map((field) => (field === 'timing' ? timing : field)).join(', ');
}

/** The part of a stored answer that tells declarations apart. In another mode the same one means something else. */
function seenKey(mode: DeclarationMode, digest: string): string {
  return `${mode} ${digest} `;
}

/** What is kept of a declaration, to answer an equal one without reading it. */
export function seenDeclaration(mode: DeclarationMode, digest: string, answer: string): string {
  return seenKey(mode, digest) + answer;
}

/** The answer to a declaration that equals the last one. Null if it is another. */
export function answerSeen(mode: DeclarationMode, digest: string, seen: string | null): string | null {
  const key = seenKey(mode, digest);
  return seen?.startsWith(key) === true ? seen.slice(key.length) : null;
}

/** A declaration that came from an address. */
export interface NotedDeclaration {
  readonly at: Instant;
  /** The address. Null if it is not known. */
  readonly from: string | null;
  /** The given parameters, as in a query. */
  readonly given: string;
}

/** What is kept about the declarations of a check, for its page. */
export interface DeclarationNotes {
  /** The last that was understood. */
  readonly last: NotedDeclaration | null;
  /** Why the last one was refused. Null if it was not. */
  readonly refused: null | { readonly at: Instant; readonly from: string | null; readonly reason: string };
  /** The declarations that have changed the check within the last hour, oldest first. */
  readonly changes: readonly NotedDeclaration[];
}

const NO_NOTES: DeclarationNotes = { last: null, refused: null, changes: [] };

export function decodeNotes(stored: string | null): DeclarationNotes {
  // Only `JSON.stringify` of such notes makes this text.
  return stored === null ? NO_NOTES : (JSON.parse(stored) as DeclarationNotes);
}

/** Two jobs that disagree change their check at most so often. */
export const CHANGED_EVERY = seconds(60);

const DISPUTE_SPAN = seconds(3_600);
/** Returns to an earlier declaration within that span that make a dispute. */
const DISPUTE_RETURNS = 3;
/** Changes that are kept: enough for a dispute. */
const MAX_CHANGES = 12;

export function mayChange({ changes }: DeclarationNotes, now: Instant): boolean {
  const last = changes.at(-1)?.at ?? null;
  // A clock that was set back must not stop changes for long.
  return last === null || now - last >= CHANGED_EVERY || last > now;
}

export function withChange(notes: DeclarationNotes, change: NotedDeclaration): DeclarationNotes {
  const recent = notes.changes.filter(({ at }) => change.at - at < DISPUTE_SPAN);
  return { last: change, refused: null, changes: [...recent, change].slice(-MAX_CHANGES) };
}

/** A job that disagrees with others about its check. */
export interface Disputant {
  /** The address. Null if it is not known. */
  readonly from: string | null;
  /** The parameters that others declare otherwise: `schedule=0 3 * * *`. */
  readonly declared: readonly string[];
}

/** The declarations that have replaced each other to and fro within the hour. Empty if there is no dispute. */
export function disputeIn({ changes }: DeclarationNotes, now: Instant): Disputant[] {
  const recent = changes.filter(({ at }) => now - at < DISPUTE_SPAN);
  const latest = new Map(recent.map((change) => [change.given, change]));
  if (recent.length - latest.size < DISPUTE_RETURNS) return [];
  const parts = [...latest.keys()].map((given) => Object.entries(parametersIn(given)).map(spelled));
  const isShared = (part: string) => parts.every((others) => others.includes(part));
  return [...latest.values()].map(({ from }, index) => ({
    from,
    declared: parts[index]?.filter((part) => !isShared(part)) ?? [],
  }));
}

const spelled = ([name, value]: readonly [string, string]): string => `${name}=${value}`;
