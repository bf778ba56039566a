import type { NewCheck } from '../../domain/check/check.ts';
import type { Arrival } from '../../domain/check/check-arrival.ts';
import type { CheckEdit } from '../../domain/check/check-edit.ts';
import type { DeclarationMode } from '../../domain/check/job-declaration.ts';
import type { QuietTimeInput } from '../../domain/check/quiet-time.ts';
import type { SourceMark } from '../../domain/check/sources.ts';
import type {
  Account,
  AccountLimits,
  MailPreferences,
  ReminderPeriod,
  Theme,
} from '../../domain/people/account.ts';
import type { ApiKeyKind } from '../../domain/people/api-key.ts';
import type { MemberRole, Scope } from '../../domain/people/permission.ts';
import type { Dialects, PingDialect } from '../../domain/ping/dialect.ts';
import type { PolicyRulesEdit } from '../../domain/policy/rules.ts';
import type { Coverage } from '../../domain/public/status-page.ts';
import type { Instant } from '../../lib/instant.ts';
import type { DateStyle } from '../../lib/text/date-style.ts';
import type { CalendarInput } from '../alert/calendars.ts';
import type { AlertingEdit } from '../alert/policies.ts';

/** The content of a provisioning file. Each entry knows its line. */
export interface Declaration {
  /** The name of the files that are applied together. */
  readonly source: string;
  readonly accounts: readonly DeclaredAccount[];
  readonly projects: readonly DeclaredProject[];
  readonly tokens?: readonly DeclaredToken[];
}

/** An entry of a file. */
export interface DeclaredAt {
  readonly line: number;
  /** The values with variables as the file has them, by the keys of the file. What variables hold may be secret. */
  readonly written?: Written;
}

export type Written = Readonly<Record<string, unknown>>;

export interface DeclaredAccount extends DeclaredAt, Partial<DateStyle> {
  readonly email: string;
  readonly name?: string;
  readonly isAdmin?: boolean;
  readonly theme?: Theme;
  readonly password?: string;
  readonly limits?: Partial<AccountLimits>;
  readonly tz?: string;
  readonly reports?: MailPreferences['reports'];
  readonly reminders?: ReminderPeriod;
  /** More about an account that has to be created, from another program. */
  readonly given?: Pick<Account, 'createdAt' | 'isActive'>;
}

export interface DeclaredProject extends DeclaredAt {
  /** Identifies the project, with any name. */
  readonly uuid?: string;
  readonly name: string;
  readonly owner: string;
  /** The key in the addresses of its badges, if it has to be created. Absent: a new one. */
  readonly badgeKey?: string;
  /** Accounts that are members besides the owner. Members that the file does not name stay members. */
  readonly members: readonly DeclaredMember[];
  readonly keys: { readonly readWrite?: string; readonly readOnly?: string; readonly ping?: string };
  /** How far jobs may declare the checks of the project. Absent leaves it as it is. */
  readonly jobDeclarations?: DeclarationMode;
  readonly apiKeys: readonly DeclaredKey[];
  readonly channels: readonly DeclaredChannel[];
  readonly checks: readonly DeclaredCheck[];
  /** Absent: as it is. */
  readonly dialects?: Dialects;
  /** Keys of other programs that stand for the ping key. */
  readonly aliases?: readonly DeclaredAlias[];
  readonly statusPages?: readonly DeclaredStatusPage[];
  readonly walls?: readonly DeclaredWall[];
  readonly views?: readonly DeclaredView[];
  readonly calendars?: readonly DeclaredCalendar[];
  readonly policies?: readonly DeclaredPolicy[];
  readonly alerting?: DeclaredAlerting;
  readonly quietTimes?: readonly DeclaredQuietTime[];
}

export interface DeclaredMember extends DeclaredAt {
  readonly email: string;
  /** Absent: a new member gets the role `member`, and others keep theirs. */
  readonly role?: MemberRole;
}

export interface DeclaredKey extends DeclaredAt {
  readonly kind: ApiKeyKind;
  readonly name: string;
  /** Absent: people have made the key, or have to. */
  readonly secret?: string;
  readonly expiresAt: Instant | null;
}

export interface DeclaredChannel extends DeclaredAt {
  /** Identifies the channel, with any name. */
  readonly uuid?: string;
  readonly kind: string;
  /** Empty only for a channel that has a UUID. */
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly verified: boolean;
}

export interface DeclaredCheck extends DeclaredAt {
  /** Empty only for a check that has a UUID. */
  readonly slug: string;
  /** Identifies the check, with any slug. */
  readonly uuid?: string;
  /** The state of a check that has to be created. An existing one stays as it is. Absent: it is new. */
  readonly arrival?: Arrival;
  /** Makes a check that has to be created what it was in another program. */
  readonly asItWas?: (check: NewCheck) => NewCheck;
  readonly edit: CheckEdit;
  /** `*`, or a comma-separated list, as in the API; absent leaves the assignment as it is. */
  readonly channels?: string;
  /** Slugs or UUIDs of checks without which it cannot work, with commas. Absent leaves them as they are. */
  readonly parents?: string;
  /** The integrations that are told of each success, as `channels` names them. */
  readonly done?: string;
  /** Tokens of other programs that stand for the check. */
  readonly aliases?: readonly DeclaredAlias[];
}

export interface DeclaredAlias extends DeclaredAt {
  readonly dialect: PingDialect;
  readonly token: string;
}

/** Absent fields stay as they are. */
export interface DeclaredStatusPage extends DeclaredAt {
  readonly slug: string;
  readonly title: string;
  readonly about?: string;
  readonly tz?: string;
  readonly isPublished?: boolean;
  readonly components?: readonly DeclaredComponent[];
}

export interface DeclaredComponent extends DeclaredAt {
  readonly name: string;
  readonly group: string;
  /** The check is named by its slug or UUID. */
  readonly covers: Coverage;
}

export interface DeclaredWall extends DeclaredAt {
  readonly name: string;
  /** Absent: people have made the display, or have to. */
  readonly token?: string;
}

export interface DeclaredView extends DeclaredAt {
  readonly name: string;
  /** The address of the account that keeps it. */
  readonly owner: string;
  readonly query: string;
  readonly isShared: boolean;
}

export interface DeclaredCalendar extends DeclaredAt, CalendarInput {}

/** A policy has the rules that the file names, and no others. Integrations are named in them. */
export interface DeclaredPolicy extends DeclaredAt {
  readonly name: string;
  readonly rules: PolicyRulesEdit;
}

/** How outages of the project are told. Absent fields stay as they are. */
export interface DeclaredAlerting extends DeclaredAt, Partial<AlertingEdit> {}

/** One that comes once has a beginning. */
export interface DeclaredQuietTime extends DeclaredAt, QuietTimeInput {}

export interface DeclaredToken extends DeclaredAt {
  readonly account: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Names or UUIDs. Null: all of the account. */
  readonly projects: readonly string[] | null;
  /** Absent: people have made the token, or have to. */
  readonly secret?: string;
  readonly expiresAt: Instant | null;
}

/** Identifies the channel in the file. */
export const channelIdentity = ({
  uuid,
  kind,
  name,
}: Pick<DeclaredChannel, 'uuid' | 'kind' | 'name'>): string => uuid ?? `${kind} ${name}`;

/** Identifies the check in the file. */
export const identityOf = ({ uuid, slug }: Pick<DeclaredCheck, 'uuid' | 'slug'>): string => uuid ?? slug;

/** Identifies the view in the file. */
export const viewIdentity = ({ owner, name }: Pick<DeclaredView, 'owner' | 'name'>): string =>
  `${owner}/${name}`;

export interface Change {
  readonly action: 'created' | 'updated' | 'removed' | 'missing' | 'skipped' | 'released' | 'kept';
  readonly what:
    | 'account'
    | 'project'
    | 'integration'
    | 'check'
    | 'member'
    | 'api key'
    | 'alias'
    | 'status page'
    | 'wall'
    | 'view'
    | 'policy'
    | 'calendar'
    | 'quiet time'
    | 'token';
  readonly name: string;
  /** The fields of an existing entry that changed, or that would have without somebody's edit. */
  readonly fields: readonly FieldChange[];
  /** The values with variables as the file has them, by the keys of the file. */
  readonly written?: Written;
}

/** A changed field. A secret has no values. */
export interface FieldChange {
  readonly name: string;
  readonly was?: unknown;
  readonly became?: unknown;
  /** The person or the client of the API that has set the value before. */
  readonly setBy?: SourceMark;
}

/** An entry contradicts what already exists. Then nothing of the file is applied. */
export class ProvisionError extends Error {
  override readonly name = 'ProvisionError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * If several entries have the declared name, returns the one that was declared before, otherwise the oldest. The others
 * are left alone: names need not be unique, and a duplicate must not keep the service from starting.
 */
export function chosen<T extends { readonly id: number }>(
  matches: readonly T[],
  declaredId: number | undefined,
): T | undefined {
  return matches.find(({ id }) => id === declaredId) ?? matches[0];
}

/** Returns no change when no field differs. */
export function updated(
  what: Change['what'],
  name: string,
  fields: readonly FieldChange[],
  { written }: Pick<DeclaredAt, 'written'>,
): Change[] {
  return changed('updated', what, name, fields, written);
}

/** Fields that the file names otherwise, and that stay as somebody has set them. */
export function kept(
  what: Change['what'],
  name: string,
  fields: readonly FieldChange[],
  { written }: Pick<DeclaredAt, 'written'>,
): Change[] {
  return changed('kept', what, name, fields, written);
}

function changed(
  action: Change['action'],
  what: Change['what'],
  name: string,
  fields: readonly FieldChange[],
  written: Written | undefined,
): Change[] {
  return fields.length === 0
    ? []
    : [{ action, what, name, fields, ...(written !== undefined && { written }) }];
}

/** A member without an account. They may have closed it, which must not keep the service from starting. */
export function skippedMember(project: string, email: string): Change {
  return { action: 'skipped', what: 'member', name: `${project}/${email}`, fields: [] };
}

/** An entry that the file names no longer, and that stays. It is people's own. */
export function released(what: Change['what'], name: string): Change {
  return { action: 'released', what, name, fields: [] };
}

/** An entry that people have to make. */
export function missing(what: Change['what'], name: string): Change {
  return { action: 'missing', what, name, fields: [] };
}

export function removed(what: Change['what'], name: string): Change {
  return { action: 'removed', what, name, fields: [] };
}

export function created(what: Change['what'], name: string): Change {
  return { action: 'created', what, name, fields: [] };
}
