import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type YAMLMap,
} from 'yaml';

/** The limits of a provisioning file. About 25,000 checks fit. */
export const PROVISION_LIMITS = Object.freeze({
  maxBytes: 4 * 1024 * 1024,
  /** Tokens of YAML. */
  maxTokens: 1_000_000,
  /** Nested mappings and lists. The deepest entry of the format has seven. */
  maxDepth: 32,
  /** Counts each mapping, list and plain value, and counts it again wherever an alias repeats it. */
  maxValues: 500_000,
  /** Of all files in a folder. */
  maxFolderBytes: 64 * 1024 * 1024,
  maxChecks: 100_000,
});

/** A fault of the file, and its line. */
export interface FileFault {
  readonly line: number;
  readonly reason: string;
}

/** A value of the file, and its line. */
export type Located = { readonly line: number } & (
  | {
      readonly kind: 'plain';
      readonly value: unknown /** The text with variables, as the file has it. */;
      readonly written?: string;
    }
  | { readonly kind: 'list'; readonly items: readonly Located[] }
  | { readonly kind: 'mapping'; readonly pairs: ReadonlyMap<string, LocatedPair> }
);

export interface LocatedPair {
  /** The line of the key. */
  readonly line: number;
  readonly value: Located;
}

/** Parses YAML so that each value knows its line. Returns null when it cannot. Faults are collected, not thrown. */
export function readDocument(text: string, faults: FileFault[], before = 0): Located | null {
  const lines = new LinesAfter(before);
  try {
    const document = composed(text, lines, faults);
    if (document === null || document.contents === null) return null;
    return new Builder(lines, faults).build(document.contents);
  } catch (error) {
    if (!(error instanceof LimitError)) throw error;
    faults.push({ line: error.line, reason: error.message });
    return null;
  }
}

/** Counts lines from where the lines of other files end. */
class LinesAfter extends LineCounter {
  readonly #before: number;

  constructor(before: number) {
    super();
    this.#before = before;
  }

  lineAt(offset: number): number {
    return this.#before + this.linePos(offset).line;
  }
}

class LimitError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

function composed(text: string, lines: LinesAfter, faults: FileFault[]): Document | null {
  let first: Document | null = null;
  // The builder finds duplicate keys. The composer would compare each key with all others of its mapping.
  const composer = new Composer({
    schema: 'core',
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
  });
  for (const document of composer.compose(boundedTokens(text, lines), true, text.length)) {
    for (const error of document.errors)
      faults.push({ line: lines.lineAt(error.pos[0]), reason: error.message });
    if (faults.length > 0) return null;
    if (first !== null) {
      faults.push({ line: lines.lineAt(document.range[0]), reason: 'the file has a second document' });
      return null;
    }
    first = document;
  }
  return first;
}

/**
 * Yields what `Parser.parse` yields. The limits are checked here, because building values is recursive and costs more.
 */
function* boundedTokens(text: string, lines: LinesAfter): ReturnType<Parser['parse']> {
  const { maxTokens, maxDepth } = PROVISION_LIMITS;
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens++;
    const line = () => lines.lineAt(parser.offset);
    if (tokens > maxTokens) throw new LimitError(line(), `the file has more than ${maxTokens} tokens`);
    // The stack also holds the document and the plain value at the end.
    if (parser.stack.length > maxDepth + 2) throw tooDeep(line());
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

function tooDeep(line: number): LimitError {
  return new LimitError(line, `the file is nested more than ${PROVISION_LIMITS.maxDepth} levels deep`);
}

/** Makes plain values from nodes, in the order of the file. */
class Builder {
  readonly #lines: LinesAfter;
  readonly #faults: FileFault[];
  readonly #anchors = new Map<string, Node>();
  /** The target of each alias. An anchor name may be used again further down. */
  readonly #targets = new Map<Alias, Node>();
  #values = 0;
  /** The line of the value that is being built. While an alias repeats other values, the line of the alias. */
  #line: number;

  constructor(lines: LinesAfter, faults: FileFault[]) {
    this.#lines = lines;
    this.#line = lines.lineAt(0);
    this.#faults = faults;
  }

  /** `depth` counts nested values, also through aliases: an alias to its own parent would never end. */
  build(node: Node | null, depth = 0, isRepeated = false): Located {
    const { maxDepth, maxValues } = PROVISION_LIMITS;
    const line = this.#lines.lineAt(node?.range?.[0] ?? 0);
    if (!isRepeated) this.#line = line;
    this.#values++;
    if (this.#values > maxValues)
      throw new LimitError(
        this.#line,
        `the file has more than ${maxValues} values, counting what aliases repeat`,
      );
    if (depth > maxDepth) throw tooDeep(this.#line);
    if (isAlias(node)) return this.#repeat(node, line, depth);
    if (node !== null && !isRepeated && 'anchor' in node && node.anchor !== undefined)
      this.#anchors.set(node.anchor, node);
    if (isMap(node)) return { kind: 'mapping', line, pairs: this.#pairs(node, depth + 1, isRepeated) };
    if (isSeq<Node | null>(node))
      return { kind: 'list', line, items: node.items.map((item) => this.build(item, depth + 1, isRepeated)) };
    return { kind: 'plain', line, value: isScalar(node) ? node.value : null };
  }

  #repeat(alias: Alias, line: number, depth: number): Located {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (target === undefined) {
      this.#faults.push({ line, reason: `*${alias.source} stands for nothing before it` });
      return { kind: 'plain', line, value: null };
    }
    this.#targets.set(alias, target);
    return { ...this.build(target, depth + 1, true), line };
  }

  #pairs(map: YAMLMap, depth: number, isRepeated: boolean): Map<string, LocatedPair> {
    const pairs = new Map<string, LocatedPair>();
    // The parser yields only nodes or null here.
    for (const { key, value } of map.items as { key: Node | null; value: Node | null }[]) {
      const name = isScalar(key) ? String(key.value) : 'a key that is not a text';
      const line = this.#lines.lineAt(key?.range?.[0] ?? 0);
      if (pairs.has(name) && !isRepeated) this.#faults.push({ line, reason: 'Map keys must be unique' });
      pairs.set(name, { line, value: this.build(value, depth, isRepeated) });
    }
    return pairs;
  }
}
