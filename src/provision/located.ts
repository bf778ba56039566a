import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml';

/** Something wrong in the file, and where. */
export interface FileFault {
  readonly line: number;
  readonly reason: string;
}

/** Every fault of a provisioning file. Nothing of such a file is applied. */
export class ProvisionFileError extends Error {
  override readonly name = 'ProvisionFileError';
  readonly faults: readonly FileFault[];

  constructor(path: string, faults: readonly FileFault[]) {
    super(faults.map(({ line, reason }) => `${path}:${line}: ${reason}`).join('\n'));
    this.faults = faults;
  }
}

/** A plain value, and where it stands. */
export interface Item {
  readonly line: number;
  /** For people: `projects[0].members[2]`. */
  readonly path: string;
  readonly value: unknown;
  /** Notes a fault at the line of the value. */
  fault(reason: string): void;
}

/** A mapping of the file whose keys are known; values are looked at one by one, each with its line. */
export interface Entry {
  readonly line: number;
  /** Where in the file, for people: `projects[0].checks[2]`. */
  readonly path: string;
  has(key: string): boolean;
  /** The plain values, by key. */
  values(): Readonly<Record<string, unknown>>;
  list(key: string): readonly Entry[];
  entry(key: string): Entry | null;
  /** The items of a list of plain values, each with its line. */
  items(key: string): readonly Item[];
  /** Notes a fault at the line of `key`, or of the entry itself. */
  fault(reason: string, key?: string): void;
  /** Faults every key that is not among `known`. */
  allow(known: readonly string[]): void;
}

/** Reads YAML so that each value still knows its line. Faults are collected, not thrown. */
export function locate(text: string, faults: FileFault[]): Entry | null {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  for (const error of document.errors) {
    faults.push({ line: lines.linePos(error.pos[0]).line, reason: error.message });
  }
  if (document.errors.length > 0) return null;
  if (isMap(document.contents)) return new LocatedEntry(document.contents, '', { document, lines, faults });
  if (document.contents !== null) faults.push({ line: 1, reason: 'the file is not a mapping' });
  return null;
}

interface Context {
  readonly document: Document;
  readonly lines: LineCounter;
  readonly faults: FileFault[];
}

class LocatedEntry implements Entry {
  readonly line: number;
  readonly path: string;
  readonly #map: YAMLMap;
  readonly #context: Context;

  constructor(map: YAMLMap, path: string, context: Context) {
    this.#map = map;
    this.path = path;
    this.#context = context;
    this.line = this.#lineAt(map);
  }

  has(key: string): boolean {
    return this.#map.has(key);
  }

  values(): Readonly<Record<string, unknown>> {
    return this.#map.toJS(this.#context.document);
  }

  #lineOf(key: string): number {
    const pair = this.#map.items.find((item) => isScalar(item.key) && item.key.value === key);
    return isScalar(pair?.key) ? this.#lineAt(pair.key) : this.line;
  }

  list(key: string): readonly Entry[] {
    return this.#nodes(key).flatMap(({ node, path }) => {
      if (isMap(node)) return [new LocatedEntry(node, path, this.#context)];
      this.#context.faults.push({ line: this.#lineAt(node), reason: `${path} is not a mapping` });
      return [];
    });
  }

  #nodes(key: string): { node: Node; path: string }[] {
    if (!this.has(key)) return [];
    const list = this.#map.get(key, true);
    if (!isSeq<Node>(list)) {
      this.fault(`${key} is not a list`, key);
      return [];
    }
    return list.items.map((node, index) => ({ node, path: `${this.#pathOf(key)}[${index}]` }));
  }

  items(key: string): readonly Item[] {
    return this.#nodes(key).map(({ node, path }) => {
      const line = this.#lineAt(node);
      return {
        line,
        path,
        value: node.toJS(this.#context.document),
        fault: (reason) => void this.#context.faults.push({ line, reason: `${path}: ${reason}` }),
      };
    });
  }

  entry(key: string): Entry | null {
    if (!this.has(key)) return null;
    const node = this.#map.get(key, true);
    if (isMap(node)) return new LocatedEntry(node, this.#pathOf(key), this.#context);
    this.fault(`${key} is not a mapping`, key);
    return null;
  }

  fault(reason: string, key?: string): void {
    const line = key === undefined ? this.line : this.#lineOf(key);
    this.#context.faults.push({ line, reason: this.path === '' ? reason : `${this.path}: ${reason}` });
  }

  allow(known: readonly string[]): void {
    for (const { key } of this.#map.items) {
      const name = isScalar(key) ? String(key.value) : 'a key that is not a text';
      if (!known.includes(name)) this.fault(`${name} is not known (known here: ${known.join(', ')})`, name);
    }
  }

  #pathOf(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`;
  }

  #lineAt(node: Node): number {
    return this.#context.lines.linePos(node.range?.[0] ?? 0).line;
  }
}
