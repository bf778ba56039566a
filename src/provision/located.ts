import { type FileFault, type Located, readDocument } from './document.ts';
import { type FilePart, partOf } from './part.ts';
import { type ReadSecret, secretOf } from './secret-file.ts';
import type { Lines } from './texts.ts';
import { type Variables, withVariables } from './variables.ts';

/** Faults reported at once. The others are reported after these are fixed. */
const MAX_TOLD_FAULTS = 100;

/** Every fault of a provisioning file. Nothing of the file is applied. */
export class ProvisionFileError extends Error {
  override readonly name = 'ProvisionFileError';
  readonly faults: readonly FileFault[];

  constructor(lines: Lines, faults: readonly FileFault[]) {
    const told = faults
      .slice(0, MAX_TOLD_FAULTS)
      .map(({ line, reason }) => `${lines.place(line)}: ${reason}`);
    const rest = faults.length - told.length;
    super([...told, ...(rest > 0 ? [`and ${rest} more faults`] : [])].join('\n'));
    this.faults = faults;
  }
}

/** An item of a list, and its line. */
export interface Item {
  readonly line: number;
  /** The path in the file, for people: `projects[0].members[2]`. */
  readonly path: string;
  /** The plain value. */
  readonly value: unknown;
  /** The value of a secret, which may be in a file: `file:secrets/alice`. A `Fault` if that cannot be read. */
  secret(): unknown;
  /** The item as a mapping. Null if it is not one. */
  readonly entry: Entry | null;
  /** Records a fault at the line of the value. */
  fault(reason: string): void;
}

/** A mapping of the file whose keys are known. Values are read one by one, each with its line. */
export interface Entry {
  readonly line: number;
  /** The path in the file, for people: `projects[0].checks[2]`. */
  readonly path: string;
  has(key: string): boolean;
  /** The line of `key`, or of the entry itself. */
  lineOf(key: string): number;
  value(key: string): unknown;
  /** The value of a secret, which may be in a file: `file:secrets/alice`. A `Fault` if that cannot be read. */
  secret(key: string): unknown;
  /** The plain values, by key. */
  values(): Readonly<Record<string, unknown>>;
  /** The values with variables as the file has them, by key. */
  written(): Readonly<Record<string, unknown>>;
  list(key: string): readonly Entry[];
  entry(key: string): Entry | null;
  /** The items of a list, each with its line. */
  items(key: string): readonly Item[];
  /** Records a fault at the line of `key`, or of the entry itself. */
  fault(reason: string, key?: string): void;
  /** Records a fault for every key that is not in `known`. */
  allow(known: readonly string[]): void;
}

/**
 * The entry of the whole file, or null when it cannot be read. Faults are collected, not thrown. `before` is the number of
 * lines in the files before it.
 */
export function locate(
  text: string,
  variables: Variables,
  faults: FileFault[],
  before: number,
  part: FilePart,
  readSecret: ReadSecret,
): Entry | null {
  const found: FileFault[] = [];
  const written = readDocument(text, found, before);
  for (const fault of found) faults.push(fault);
  if (written === null || found.length > 0) return null;
  const contents = withVariables(partOf(written, part, faults), variables, faults);
  if (contents.kind === 'mapping') return new LocatedEntry(contents, '', { faults, readSecret });
  if (contents.kind === 'list' || contents.value !== null)
    faults.push({ line: before + 1, reason: 'the file is not a mapping' });
  return null;
}

/** What all entries of a file share. */
interface File {
  readonly faults: FileFault[];
  readonly readSecret: ReadSecret;
}

type Mapping = Extract<Located, { kind: 'mapping' }>;

class LocatedEntry implements Entry {
  readonly line: number;
  readonly path: string;
  readonly #mapping: Mapping;
  readonly #file: File;

  constructor(mapping: Mapping, path: string, file: File) {
    this.#mapping = mapping;
    this.path = path;
    this.#file = file;
    this.line = mapping.line;
  }

  has(key: string): boolean {
    return this.#mapping.pairs.has(key);
  }

  lineOf(key: string): number {
    return this.#mapping.pairs.get(key)?.line ?? this.line;
  }

  value(key: string): unknown {
    const pair = this.#mapping.pairs.get(key);
    return pair && plain(pair.value);
  }

  secret(key: string): unknown {
    const pair = this.#mapping.pairs.get(key);
    return pair && this.#secretOf(pair.value, key);
  }

  #secretOf(value: Located, name: string): unknown {
    return value.kind === 'plain' ? secretOf(value, name, this.#file.readSecret) : plain(value);
  }

  values(): Readonly<Record<string, unknown>> {
    return plainMapping(this.#mapping);
  }

  written(): Readonly<Record<string, unknown>> {
    const pairs = [...this.#mapping.pairs].filter(([, { value }]) => hasVariables(value));
    return Object.fromEntries(pairs.map(([key, { value }]) => [key, plain(value, true)]));
  }

  list(key: string): readonly Entry[] {
    return this.#listed(key).flatMap(({ value, path }) => {
      if (value.kind === 'mapping') return [new LocatedEntry(value, path, this.#file)];
      this.#file.faults.push({ line: value.line, reason: `${path} is not a mapping` });
      return [];
    });
  }

  #listed(key: string): { value: Located; path: string }[] {
    const list = this.#mapping.pairs.get(key)?.value;
    if (list?.kind === 'list')
      return list.items.map((value, index) => ({ value, path: `${this.#pathOf(key)}[${index}]` }));
    if (list !== undefined) this.fault(`${key} is not a list`, key);
    return [];
  }

  items(key: string): readonly Item[] {
    return this.#listed(key).map(({ value, path }) => ({
      line: value.line,
      path,
      value: plain(value),
      secret: () => this.#secretOf(value, 'it'),
      entry: value.kind === 'mapping' ? new LocatedEntry(value, path, this.#file) : null,
      fault: (reason) => void this.#file.faults.push({ line: value.line, reason: `${path}: ${reason}` }),
    }));
  }

  entry(key: string): Entry | null {
    const value = this.#mapping.pairs.get(key)?.value;
    if (value?.kind === 'mapping') return new LocatedEntry(value, this.#pathOf(key), this.#file);
    if (value !== undefined) this.fault(`${key} is not a mapping`, key);
    return null;
  }

  fault(reason: string, key?: string): void {
    const line = key === undefined ? this.line : this.lineOf(key);
    this.#file.faults.push({ line, reason: this.path === '' ? reason : `${this.path}: ${reason}` });
  }

  allow(known: readonly string[]): void {
    for (const name of this.#mapping.pairs.keys()) {
      if (!known.includes(name)) this.fault(`${name} is not known (known here: ${known.join(', ')})`, name);
    }
  }

  #pathOf(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`;
  }
}

function plain(value: Located, isWritten = false): unknown {
  if (value.kind === 'plain') return isWritten ? (value.written ?? value.value) : value.value;
  if (value.kind === 'list') return value.items.map((item) => plain(item, isWritten));
  return plainMapping(value, isWritten);
}

function plainMapping({ pairs }: Mapping, isWritten = false): Record<string, unknown> {
  return Object.fromEntries([...pairs].map(([key, { value }]) => [key, plain(value, isWritten)]));
}

function hasVariables(value: Located): boolean {
  if (value.kind === 'plain') return value.written !== undefined;
  if (value.kind === 'list') return value.items.some(hasVariables);
  return value.pairs.values().some((pair) => hasVariables(pair.value));
}
