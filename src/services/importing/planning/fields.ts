import type { Deps } from '../../core/deps.ts';

/** Digests of the values of an entry. */
export type Fields = Readonly<Record<string, string>>;

/** Enough to see that a value has changed. */
const DIGEST_LENGTH = 12;

export function fieldsOf({ vault }: Pick<Deps, 'vault'>, values: Readonly<Record<string, unknown>>): Fields {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) fields[name] = vault.digest(inOrder(value)).slice(0, DIGEST_LENGTH);
  return fields;
}

/** JSON in which the order of keys does not matter. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

export interface Merged {
  /** Fields that have changed in the source and that nobody has changed here. */
  readonly taken: ReadonlySet<string>;
  /** Fields that have changed in the source, and here as well. */
  readonly kept: readonly string[];
  /** As they have to be compared the next time. */
  readonly fields: Fields;
}

/** `written` is what the last import has written. */
export function merge(written: Fields, here: Fields, there: Fields): Merged {
  const taken = new Set<string>();
  const kept: string[] = [];
  const fields = new Map(Object.entries(written));
  for (const name of new Set([...Object.keys(written), ...Object.keys(there)])) {
    const value = there[name];
    if (value === written[name]) continue;
    if (here[name] !== value && here[name] !== written[name]) {
      kept.push(name);
      continue;
    }
    if (here[name] !== value) taken.add(name);
    if (value === undefined) fields.delete(name);
    else fields.set(name, value);
  }
  return { taken, kept, fields: Object.fromEntries(fields) };
}
