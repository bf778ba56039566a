import { AppError } from '../../domain/errors.ts';
import type { ActSubject } from '../../domain/people/audit.ts';
import type { DeclaredKind, Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import type { ProvisionDeps } from './acts.ts';
import {
  type Change,
  created,
  type DeclaredAt,
  type FieldChange,
  missing,
  ProvisionError,
  updated,
} from './declaration.ts';
import { claim, DeclaredEntries, requireSource, type Source } from './source.ts';

/** The project or account that has the entries. */
export interface Owner {
  readonly id: number;
  /** How differences name it. */
  readonly name: string;
  /** The project in whose audit log changes are. Null: they concern an account. */
  readonly projectId: number | null;
}

/** A kind of entry that files declare by name. */
export interface EntryKind<Declared extends DeclaredAt, Entry extends { readonly id: number }> {
  readonly kind: DeclaredKind;
  readonly what: Change['what'];
  /** What the file calls it. */
  nameOf(declared: Declared): string;
  /** How differences name it, if not as the file does. */
  labelOf?(declared: Declared, entry: Entry): string;
  stored(deps: Deps, owner: Owner): Promise<readonly Entry[]>;
  /** The entry that is meant. `formerId` is the one that had this name in the file before. */
  find(stored: readonly Entry[], declared: Declared, formerId: number | undefined): Entry | undefined;
  subject(entry: Entry): ActSubject;
  /** Makes the entry, or changes what differs. Null if there is none and people have to make it. */
  apply(
    deps: ProvisionDeps,
    owner: Owner,
    declared: Declared,
    found: Entry | undefined,
  ): Promise<{ readonly entry: Entry; readonly fields: readonly FieldChange[] } | null>;
  /** Removes an entry that the file has made and names no longer. */
  remove(deps: ProvisionDeps, owner: Owner, id: number): Promise<void>;
}

/** Applies the declared entries of one kind and one owner. */
export async function applyEntriesOf<Declared extends DeclaredAt, Entry extends { readonly id: number }>(
  kind: EntryKind<Declared, Entry>,
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  owner: Owner,
  declared: readonly Declared[],
): Promise<Change[]> {
  if (declared.length === 0) return [];
  const inside = within(deps, tx);
  const entries = await DeclaredEntries.read(tx, kind.kind, owner.id);
  const stored = await kind.stored(inside, owner);
  const changes: Change[] = [];
  for (const one of declared) {
    const name = kind.nameOf(one);
    const found = kind.find(stored, one, entries.named(name)?.id);
    const before = entries.of(found?.id ?? 0);
    requireSource(source, one.line, `the ${kind.what} ${name}`, before);
    const applied = await orRefused(one.line, () => kind.apply(inside, owner, one, found));
    if (applied === null) {
      changes.push(missing(kind.what, `${owner.name}/${name}`));
      continue;
    }
    const { entry, fields } = applied;
    const label = `${owner.name}/${kind.labelOf?.(one, entry) ?? name}`;
    const taken = await claim(deps, tx, source, owner.projectId, {
      kind: kind.kind,
      ownerId: owner.id,
      id: entry.id,
      name,
      line: one.line,
      isNew: found === undefined,
      before,
      subject: kind.subject(entry),
    });
    changes.push(
      ...(found === undefined
        ? [created(kind.what, label)]
        : updated(kind.what, label, [...fields, ...taken], one)),
    );
  }
  return changes;
}

/** Lets verbs that open a transaction work in the one that has begun. */
export function within<D extends Deps>(deps: D, tx: Writes): D {
  return { ...deps, store: { ...deps.store, ...tx, transaction: (work) => work(tx) } };
}

/** A refusal of a verb, as a fault of the line. */
export async function orRefused<T>(line: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    throw new ProvisionError(line, message === code ? code.replaceAll('_', ' ') : message);
  }
}
