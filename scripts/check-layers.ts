/**
 * Keeps the shape of `src`: reads every import and fails on one that points up, sideways or in a circle, and
 * on time, chance and the environment being read where they should be passed in. The rules are the tables.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import { createScanner, SyntaxKind, tokenIsIdentifierOrKeyword } from 'typescript/unstable/ast';

/**
 * The folders of `src` and the files at its top, from the bottom up. Each imports from lower rows and from
 * itself; those of one row are blind to each other.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['lib', 'companion'],
  ['domain'],
  ['wire'],
  ['storage', 'integrations', 'objects'],
  ['services'],
  ['views'],
  ['acts', 'reading'],
  ['http', 'smtp', 'alerts', 'notifier', 'provision', 'import'],
  ['config', 'writer-thread.ts', 'reader-thread.ts', 'backup-thread.ts', 'copy-thread.ts'],
  ['node', 'core.ts', 'doctor'],
  ['start-report.ts'],
  ['main.ts', 'health.ts'],
  ['demo'],
  ['cli'],
];

/** The folders inside a part, from the bottom up, by the same rule. Below them are the files at the part's top. */
const FOLDERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  domain: [['schedule'], ['people'], ['check'], ['ping', 'alert'], ['policy'], ['history'], ['public']],
  services: [
    ['core'],
    ['project'],
    ['check', 'people'],
    ['ping'],
    ['alert'],
    ['history'],
    ['mail', 'sign-up', 'public', 'instance'],
    ['provisioning'],
    ['importing'],
  ],
};

/** The edges, which know the parts below only through services, and what is between. */
const ABOVE_SERVICES: readonly string[] = ['services', 'views', ...(LAYERS[6] ?? []), ...(LAYERS[7] ?? [])];

/** Parts that others may import only by these files. */
const DOORS: readonly Door[] = [
  { of: 'companion', files: ['main.ts'], for: ['cli'] },
  { of: 'storage', files: ['store.ts'], for: ABOVE_SERVICES },
  { of: 'integrations', files: ['registry.ts'], for: ['services'] },
  { of: 'objects', files: ['object-store.ts', 'object-key.ts'], for: ABOVE_SERVICES },
];

/** Code that decides must not be able to act. A name stands for its subpaths too, such as `node:fs/promises`. */
const WITHOUT_EFFECTS: readonly string[] = ['domain', 'wire', 'services'];
const EFFECTS: readonly string[] = [
  'node:fs',
  'node:net',
  'node:http',
  'node:https',
  'node:sqlite',
  'node:child_process',
  'node:worker_threads',
  'pg',
  'aws4fetch',
];

/** Parts that are installed without any package. */
const WITHOUT_PACKAGES: readonly string[] = ['companion'];

/** Inputs from outside the program, and the only places that fetch them; others have them passed in. */
const SOURCES: readonly Source[] = [
  {
    name: 'time',
    places: ['src/lib/clock.ts', 'src/main.ts', 'src/health.ts', 'src/cli/', 'src/companion/main.ts'],
    code: ['Date.now', 'new Date()', 'Temporal.Now', 'performance.now'],
    imports: {},
  },
  {
    name: 'chance',
    places: ['src/lib/random.ts', 'src/main.ts', 'src/cli/', 'src/companion/main.ts'],
    code: ['Math.random', 'crypto.randomBytes', 'crypto.randomUUID', 'crypto.getRandomValues'],
    imports: { 'node:crypto': ['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID'] },
  },
  {
    name: 'the environment',
    places: ['src/cli/program.ts', 'src/health.ts', 'src/companion/main.ts'],
    code: ['process.env'],
    imports: { 'node:process': ['env'] },
  },
];

interface Door {
  readonly of: string;
  readonly files: readonly string[];
  readonly for: readonly string[];
}

interface Source {
  readonly name: string;
  /** Files, and folders with a slash at the end. */
  readonly places: readonly string[];
  readonly code: readonly string[];
  /** Names by the module they are imported from. */
  readonly imports: Readonly<Record<string, readonly string[]>>;
}

interface Token {
  readonly kind: SyntaxKind;
  readonly text: string;
  /** The value of a string literal. */
  readonly value: string;
  readonly line: number;
}

interface Import {
  readonly line: number;
  /** The written specifier; null if it is computed. */
  readonly specifier: string | null;
  /** The path from the root, where the specifier is relative. */
  readonly target: string | null;
  readonly names: readonly string[];
}

interface SourceFile {
  readonly path: string;
  readonly tokens: readonly Token[];
  readonly imports: readonly Import[];
  readonly isTest: boolean;
  /** The folder of `src` it is in, or its own name at the top. */
  readonly part: string;
}

type Report = (file: string, line: number, message: string) => void;

/** One line for each violation in `files`, which are texts by path from the root. */
export function findViolations(files: ReadonlyMap<string, string>): string[] {
  const found: { file: string; line: number; message: string }[] = [];
  const report: Report = (file, line, message) => found.push({ file, line, message });
  const sources = [...files].filter(([path]) => /^src\/.*\.ts$/.test(path)).map(readSource);
  for (const source of sources) {
    // A test builds its own world, from whatever it likes.
    if (source.isTest) continue;
    checkLayer(source, report);
    checkSources(source, report);
  }
  checkCycles(sources, report);
  checkLockFile(files.get('package-lock.json') ?? '', report);
  return found
    .toSorted((one, two) => (one.file === two.file ? one.line - two.line : one.file < two.file ? -1 : 1))
    .map(({ file, line, message }) => `${file}:${line} ${message}`);
}

/** Names in the tables that the tree does not have: a rule that nothing can break, or that has lost its object. */
export function findStaleNames(files: ReadonlyMap<string, string>): string[] {
  const named = [
    ...LAYERS.flat().map((part) => `src/${part}`),
    ...Object.entries(FOLDERS).flatMap(([part, rows]) =>
      rows.flat().map((folder) => `src/${part}/${folder}`),
    ),
    ...DOORS.flatMap((door) => door.files.map((file) => `src/${door.of}/${file}`)),
    ...SOURCES.flatMap((source) => source.places.map((place) => place.replace(/\/$/, ''))),
  ];
  const paths = [...files.keys()];
  return named
    .filter((name) => !paths.some((path) => path === name || path.startsWith(`${name}/`)))
    .map((name) => `scripts/check-layers.ts names ${name}, which is not there`);
}

function checkLayer(source: SourceFile, report: Report): void {
  if (layerOf(source.part) === -1) {
    report(source.path, 1, `is in no layer: give ${source.part} a place in scripts/check-layers.ts`);
    return;
  }
  for (const { specifier, target, line } of source.imports) {
    const reason =
      specifier === null
        ? 'which file that is cannot be read here'
        : target === null
          ? packageFault(source.part, specifier)
          : (layerFault(source.part, target) ?? folderFault(source, target));
    if (reason !== null) {
      report(source.path, line, `imports ${target ?? specifier ?? 'a computed path'}: ${reason}`);
    }
  }
}

function packageFault(part: string, specifier: string): string | null {
  if (WITHOUT_PACKAGES.includes(part) && !specifier.startsWith('node:')) return `${part} uses no packages`;
  const isEffect = EFFECTS.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  return isEffect && WITHOUT_EFFECTS.includes(part) ? `${part} has no effects of its own` : null;
}

function layerFault(part: string, target: string): string | null {
  if (!target.startsWith('src/')) return 'src may not know what is outside of it';
  if (isTestFile(target)) return 'that is a test';
  const other = partOf(target);
  if (other === part) return null;
  if (layerOf(other) >= layerOf(part)) return `${part} may not know ${other}`;
  const door = DOORS.find((one) => one.of === other && one.for.includes(part));
  if (door === undefined || door.files.some((file) => target === `src/${other}/${file}`)) return null;
  return `of ${other}, ${part} may know only ${door.files.join(' and ')}`;
}

function folderFault({ part, path }: SourceFile, target: string): string | null {
  const rows = FOLDERS[part];
  if (rows === undefined || partOf(target) !== part) return null;
  const [folder, other] = [folderOf(path), folderOf(target)];
  const heightOf = (name: string | null) => rows.findIndex((row) => name !== null && row.includes(name));
  if (folder === other || heightOf(other) < heightOf(folder)) return null;
  const nameOf = (name: string | null) => name ?? `the top of ${part}`;
  return `${nameOf(folder)} may not know ${nameOf(other)}`;
}

function checkSources({ path, tokens, imports }: SourceFile, report: Report): void {
  // The test of a place may do what the place does.
  const tested = path.replace(/\.test\.ts$/, '.ts');
  for (const { name, places, code, imports: named } of SOURCES) {
    if (places.some((place) => (place.endsWith('/') ? tested.startsWith(place) : tested === place))) continue;
    const advice = `only ${places.join(', ')} may read ${name}; have it passed in`;
    for (const pattern of code) {
      for (const line of linesWith(tokens, pattern)) report(path, line, `uses ${pattern}: ${advice}`);
    }
    for (const one of imports) {
      const taken = one.names.filter((word) => named[one.specifier ?? '']?.includes(word));
      for (const word of taken) report(path, one.line, `imports ${word} of ${one.specifier}: ${advice}`);
    }
  }
}

function linesWith(tokens: readonly Token[], pattern: string): number[] {
  const words = tokenise(pattern).map(({ text }) => text);
  return tokens
    .filter((_token, start) => words.every((word, index) => tokens[start + index]?.text === word))
    .map(({ line }) => line);
}

/** Depth first; an import of a file that is still being looked into closes a circle. */
function checkCycles(sources: readonly SourceFile[], report: Report): void {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const trail: string[] = [];
  const done = new Set<string>();
  const visit = (source: SourceFile): void => {
    trail.push(source.path);
    for (const { target, line } of source.imports) {
      const next = target === null ? undefined : byPath.get(target);
      if (next === undefined || done.has(next.path)) continue;
      const start = trail.indexOf(next.path);
      if (start === -1) visit(next);
      else report(source.path, line, `closes a circle: ${[...trail.slice(start), next.path].join(' → ')}`);
    }
    trail.pop();
    done.add(source.path);
  };
  for (const source of sources) if (!done.has(source.path)) visit(source);
}

/** Installations have registries of their own; .npmrc tells npm to leave the addresses out. */
function checkLockFile(text: string, report: Report): void {
  const index = text.split('\n').findIndex((line) => line.includes('"resolved"'));
  if (index !== -1) report('package-lock.json', index + 1, 'names the host of a registry: "resolved"');
}

function layerOf(part: string): number {
  return LAYERS.findIndex((parts) => parts.includes(part));
}

function partOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** The folder inside its part, or null for a file at the part's top. */
function folderOf(path: string): string | null {
  return /^src\/[^/]+\/([^/]+)\//.exec(path)?.[1] ?? null;
}

/** `x.test.ts` and what tests share: `x.test-suite.ts`, `x.test-support.ts`. */
function isTestFile(path: string): boolean {
  return /\.test(-\w+)?\.ts$/.test(path);
}

function readSource([path, text]: [string, string]): SourceFile {
  const tokens = tokenise(text, path);
  return { path, tokens, imports: importsOf(path, tokens), isTest: isTestFile(path), part: partOf(path) };
}

function importsOf(path: string, tokens: readonly Token[]): Import[] {
  return tokens.flatMap((token, index) => {
    const next = tokens[index + 1];
    const isString = next?.kind === SyntaxKind.StringLiteral;
    // Nothing but an import or a re-export has a text directly after the word `from`.
    if (token.text === 'from' && isString) {
      const start = tokens.slice(0, index).findLastIndex(({ text }) => /^(import|export)$/.test(text));
      const names = tokens.slice(start + 1, index).map(({ text }) => text);
      return [importAt(path, tokens[start] ?? token, next.value, names)];
    }
    if (token.kind !== SyntaxKind.ImportKeyword) return [];
    if (isString) return [importAt(path, token, next.value, [])];
    if (next?.text !== '(') return [];
    const argument = tokens[index + 2];
    const isLiteral =
      argument?.kind === SyntaxKind.StringLiteral ||
      argument?.kind === SyntaxKind.NoSubstitutionTemplateLiteral;
    return [importAt(path, token, isLiteral ? argument.value : null, [])];
  });
}

function importAt(path: string, { line }: Token, specifier: string | null, names: string[]): Import {
  const target = specifier?.startsWith('.') ? posix.join(posix.dirname(path), specifier) : null;
  return { line, specifier, target, names };
}

/** After the end of an operand a slash divides; anywhere else it begins a regular expression. */
const ENDS_OF_OPERANDS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.ThisKeyword,
  SyntaxKind.SuperKeyword,
  SyntaxKind.NullKeyword,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
]);

function isEndOfOperand(kind: SyntaxKind): boolean {
  const isReserved = kind >= SyntaxKind.FirstReservedWord && kind <= SyntaxKind.LastReservedWord;
  return ENDS_OF_OPERANDS.has(kind) || (tokenIsIdentifierOrKeyword(kind) && !isReserved);
}

/** The words of a text, without comments and space. The scanner leaves two questions to its caller. */
function tokenise(text: string, path = 'text'): Token[] {
  const scanner = createScanner(true, undefined, text);
  const tokens: Token[] = [];
  // Braces that are open inside each `${` that is open.
  const templates: number[] = [];
  let line = 1;
  let seen = 0;
  for (;;) {
    let kind = scanner.scan();
    if (kind === SyntaxKind.EndOfFile) return tokens;
    const isOperator = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
    if (isOperator && !isEndOfOperand(tokens.at(-1)?.kind ?? SyntaxKind.Unknown)) {
      kind = scanner.reScanSlashToken();
    }
    const depth = templates.length - 1;
    if (kind === SyntaxKind.OpenBraceToken && depth >= 0) templates[depth] = (templates[depth] ?? 0) + 1;
    if (kind === SyntaxKind.CloseBraceToken && depth >= 0) {
      if (templates[depth] === 0) kind = scanner.reScanTemplateToken(false);
      else templates[depth] = (templates[depth] ?? 0) - 1;
    }
    if (kind === SyntaxKind.TemplateHead) templates.push(0);
    if (kind === SyntaxKind.TemplateTail) templates.pop();
    const start = scanner.getTokenStart();
    line += text.slice(seen, start).split('\n').length - 1;
    seen = start;
    if (scanner.isUnterminated()) throw new Error(`${path}:${line} has a literal without an end`);
    tokens.push({ kind, text: scanner.getTokenText(), value: scanner.getTokenValue(), line });
  }
}

/** The files of the checkout that the rules are about. */
export async function readTree(root: string): Promise<Map<string, string>> {
  const entries = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
  const texts = [...paths.sort(), 'package-lock.json'].map(
    async (path): Promise<[string, string]> => [path, await readFile(join(root, path), 'utf8')],
  );
  return new Map(await Promise.all(texts));
}

if (import.meta.main) {
  const files = await readTree(dirname(import.meta.dirname));
  const violations = [...findViolations(files), ...findStaleNames(files)];
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) process.exitCode = 1;
}
