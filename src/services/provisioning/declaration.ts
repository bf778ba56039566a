import type { AccountLimits, MailPreferences, ReminderPeriod } from '../../domain/account.ts';
import type { CheckEdit } from '../../domain/check-edit.ts';

/** What a provisioning file declares, each entry with the line it stands on. */
export interface Declaration {
  readonly accounts: readonly DeclaredAccount[];
  readonly projects: readonly DeclaredProject[];
}

export interface DeclaredAccount {
  readonly line: number;
  readonly email: string;
  readonly password?: string;
  readonly limits?: Partial<AccountLimits>;
  readonly tz?: string;
  readonly reports?: MailPreferences['reports'];
  readonly reminders?: ReminderPeriod;
}

export interface DeclaredProject {
  readonly line: number;
  readonly name: string;
  readonly owner: string;
  /** Accounts that are members besides the owner; who is not named stays one. */
  readonly members: readonly DeclaredMember[];
  readonly keys: { readonly readWrite?: string; readonly readOnly?: string; readonly ping?: string };
  readonly channels: readonly DeclaredChannel[];
  readonly checks: readonly DeclaredCheck[];
}

export interface DeclaredMember {
  readonly line: number;
  readonly email: string;
}

export interface DeclaredChannel {
  readonly line: number;
  readonly kind: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly verified: boolean;
}

export interface DeclaredCheck {
  readonly line: number;
  readonly slug: string;
  readonly edit: CheckEdit;
  /** As in the API: `*`, or a comma-separated list; absent leaves the assignment as it is. */
  readonly channels?: string;
}

export interface Change {
  readonly action: 'created' | 'updated';
  readonly what: 'account' | 'project' | 'integration' | 'check';
  readonly name: string;
  /** Which fields of an existing entry changed. */
  readonly fields: readonly string[];
}

/** An entry that contradicts what is already there. Nothing of the file is applied then. */
export class ProvisionError extends Error {
  override readonly name = 'ProvisionError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * Of the entries that match what a file declares, the one that it declared before, else the oldest. Others of the same
 * name are none of its business: names need not be unique, and whoever made one must not keep the service from starting.
 */
export function chosen<T extends { readonly id: number }>(
  matches: readonly T[],
  declaredId: number | undefined,
): T | undefined {
  return matches.find(({ id }) => id === declaredId) ?? matches[0];
}

/** No change at all where no field differs. */
export function updated(what: Change['what'], name: string, fields: readonly string[]): Change[] {
  return fields.length === 0 ? [] : [{ action: 'updated', what, name, fields }];
}

export function created(what: Change['what'], name: string): Change {
  return { action: 'created', what, name, fields: [] };
}
