import { isDeepStrictEqual } from 'node:util';
import type { Instant } from '../../lib/instant.ts';
import { shortened } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';

/** By which means somebody acted. */
export type Means =
  | 'session'
  | 'api_key'
  | 'account_token'
  | 'file'
  | 'import'
  | 'job'
  | 'command'
  | 'link'
  | 'proxy'
  | 'program';

/** The actor, as the audit log names it. */
export interface ActedBy {
  /** Null if the actor has no account. */
  readonly accountId: number | null;
  readonly name: string;
  /** The name that the person has chosen for others to see. Absent or empty: none. */
  readonly chosenName?: string;
  readonly means: Means;
  readonly remoteAddr: string | null;
}

/** The actor, as the other people of a project see it. */
export function shownName({ name, chosenName = '' }: Pick<ActedBy, 'name' | 'chosenName'>): string {
  return oneLine(chosenName) || name;
}

/** An entry of the audit log. It must contain no secrets. */
export interface Act {
  id: number;
  createdAt: Instant;
  /** Null if the actor has no account, or the account is gone. */
  accountId: number | null;
  /** The name of the actor at that time. */
  actor: string;
  means: Means;
  remoteAddr: string | null;
  /** The project that the act concerns, if it concerns one. */
  projectId: number | null;
  /** The name of the action, such as `account.signed_in`. */
  action: string;
  subject: ActSubject;
  details: ActDetails;
}

/** The object of the action. */
export interface ActSubject {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

/** The values that changed, before and after, or other facts about the act. */
export type ActDetails = Readonly<Record<string, unknown>>;

export type NewAct = Omit<Act, 'id'>;

/** An entry with the UUID of the actor. Null if the actor has no account, or the account is gone. */
export type LoggedAct = Act & { accountUuid: string | null };

/** The place of an entry in a log, which is in order of time. */
export type ActPlace = Pick<Act, 'createdAt' | 'id'>;

/** The time that is wanted. Null wants all. */
export interface ActSpan {
  readonly from: Instant | null;
  readonly before: Instant | null;
}

/** Which entries are wanted. Null wants all. */
export interface ActFilter extends ActSpan {
  /** A prefix of the action, such as `check.`. */
  readonly action: string | null;
  /** The UUID of the actor. */
  readonly account: string | null;
  /** The id of the act's object. */
  readonly subject: string | null;
  /** A text in the actor, the object or the details, in any case. */
  readonly search: string | null;
}

/** All entries of a log. */
export const ALL_ACTS: ActFilter = {
  action: null,
  account: null,
  subject: null,
  search: null,
  from: null,
  before: null,
};

/** Whether the entry is wanted. The span is not looked at: it is a matter of where to begin and to end. */
export function isWanted(act: LoggedAct, { action, account, subject, search }: ActFilter): boolean {
  return (
    (action === null || act.action.startsWith(action)) &&
    (account === null || act.accountUuid === account) &&
    (subject === null || act.subject.id === subject) &&
    (search === null || searchedText(act).includes(search.toLowerCase()))
  );
}

const searchedText = ({ actor, remoteAddr, action, subject, details }: LoggedAct): string =>
  [actor, remoteAddr, action, subject.name, subject.id, JSON.stringify(details)].join('\n').toLowerCase();

/** Characters of a text that the log keeps. */
export const MAX_LOGGED_TEXT = 200;
/** Items of a list that the log keeps. */
export const MAX_LOGGED_ITEMS = 20;

type Settings = Readonly<Record<string, unknown>>;

/** The names of the settings that differ. */
export function changedNames(before: Settings, after: Settings): string[] {
  const names = Object.keys({ ...before, ...after });
  return names.filter(
    (name) => before[name] !== after[name] && !isDeepStrictEqual(before[name], after[name]),
  );
}

/** These settings as the log keeps them: long texts and lists are cut. */
export function logged(settings: Settings, names: readonly string[] = Object.keys(settings)): Settings {
  return Object.fromEntries(names.map((name) => [name, loggedValue(settings[name])]));
}

/** The changed values, before and after. Null if nothing changed. */
export function differences(
  before: Settings,
  after: Settings,
): { readonly before: Settings; readonly after: Settings } | null {
  const names = changedNames(before, after);
  return names.length === 0 ? null : { before: logged(before, names), after: logged(after, names) };
}

function loggedValue(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value, MAX_LOGGED_TEXT);
  if (Array.isArray(value)) {
    const rest = value.length - MAX_LOGGED_ITEMS;
    const kept = value.slice(0, MAX_LOGGED_ITEMS).map(loggedValue);
    return rest > 0 ? [...kept, `… and ${rest} more`] : kept;
  }
  if (typeof value !== 'object' || value === null) return value ?? null;
  return logged(value as Settings);
}
