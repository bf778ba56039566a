import { isDeepStrictEqual } from 'node:util';
import type { Instant } from '../../../lib/instant.ts';
import type { EarlierEntry, ImportedKind, Writes } from '../../../storage/store.ts';
import type { Deps } from '../../core/deps.ts';
import type { Import } from '../import.ts';
import type { Fields, Merged } from './fields.ts';

export interface PlanOptions {
  /** Whether entries come back that were imported before and deleted here. */
  readonly isAgain: boolean;
  /** Whether all integrations come switched off. */
  readonly isSilent: boolean;
  /** Whether changes of status come, too. */
  readonly hasHistory: boolean;
}

/** Compares the source with what is here. Writes nothing. */
export interface Planning {
  readonly deps: Deps;
  readonly tx: Writes;
  readonly source: Import;
  /** The row of all imports from this installation. */
  readonly importId: number;
  readonly earlier: EarlierEntries;
  readonly options: PlanOptions;
  readonly now: Instant;
  /** Collects entries that stay as they are. */
  readonly kept: KeptEntry[];
  /** Collects reasons why the import cannot be done. */
  readonly reasons: string[];
}

/** An entry that stays as it is here. */
export interface KeptEntry {
  /** `check Alpha/nightly` */
  readonly entry: string;
  /** The field that differs. Null: the whole entry. */
  readonly field: string | null;
  readonly reason:
    | 'changed here'
    | 'deleted here'
    | 'moved here'
    | 'exists here'
    | 'gone from the source'
    | 'another one here';
}

/** An entry of the source, and the digests that are kept of it. */
export interface PlannedEntry {
  readonly entry: string;
  readonly isNew: boolean;
  readonly fields: Fields;
  /** Whether the digests have changed. */
  readonly isNoted: boolean;
}

/** Accounts, projects and integrations that earlier imports from the same installation have made. */
export class EarlierEntries {
  readonly all: readonly EarlierEntry[];
  readonly #byName: ReadonlyMap<string, EarlierEntry>;

  constructor(all: readonly EarlierEntry[]) {
    this.all = all;
    this.#byName = new Map(all.map((one) => [`${one.kind} ${one.entry}`, one]));
  }

  find(kind: Exclude<ImportedKind, 'check'>, entry: string): EarlierEntry | undefined {
    return this.#byName.get(`${kind} ${entry}`);
  }

  /** The address that the account has by now. */
  emailOf(email: string): string {
    return this.find('account', email)?.home ?? email;
  }
}

/** Whether an entry that was imported before is gone and stays so. */
export function staysDeleted(
  { options, kept }: Planning,
  earlier: EarlierEntry | undefined,
  label: string,
): boolean {
  const isGone = earlier?.home === null && !options.isAgain;
  if (isGone) kept.push({ entry: label, field: null, reason: 'deleted here' });
  return isGone;
}

/** The source has changed these fields, and so has somebody here. */
export function keepFields({ kept }: Planning, entry: string, fields: readonly string[]): void {
  for (const field of fields) kept.push({ entry, field, reason: 'changed here' });
}

export const asNew = (fields: Fields): Merged => ({ taken: new Set(), kept: [], fields });

export function differs(one: Fields, other: Fields): boolean {
  return !isDeepStrictEqual({ ...one }, { ...other });
}
