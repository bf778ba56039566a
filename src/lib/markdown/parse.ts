/** A piece of a line. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] };

export type Block =
  | {
      readonly kind: 'heading';
      readonly level: number;
      /** Its name in addresses, as common viewers of Markdown make it. */
      readonly id: string;
      readonly children: readonly Inline[];
    }
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | {
      readonly kind: 'table';
      readonly head: Row;
      readonly rows: readonly Row[];
      readonly isNumber: readonly boolean[];
    };

type Row = readonly (readonly Inline[])[];

const FENCE = /^```/;
const COMMENT = /^<!--/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(?:(-)|\d{1,3}\.)\s+(.*)$/;
const TABLE_ROW = /^\|.*\|\s*$/;
const INDENTED = /^ {4}/;

/**
 * The part of Markdown that our documents use: headings, paragraphs, flat lists, tables, code, emphasis and links. HTML is
 * text like any other, except comments, which are left out.
 */
export function parseMarkdown(source: string): Block[] {
  const lines = source.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  const ids = new Map<string, number>();
  for (let at = 0; at < lines.length; ) {
    const taken = takeBlock(lines, at, ids);
    if (taken.block !== null) blocks.push(taken.block);
    at += taken.lines;
  }
  return blocks;
}

interface Taken {
  readonly block: Block | null;
  /** How many lines it has. */
  readonly lines: number;
}

function takeBlock(lines: readonly string[], at: number, ids: Map<string, number>): Taken {
  const line = lines[at] ?? '';
  if (line.trim() === '' || COMMENT.test(line)) return { block: null, lines: 1 };
  if (FENCE.test(line)) return takeFenced(lines, at);
  const [, marks, title = ''] = HEADING.exec(line) ?? [];
  if (marks !== undefined) {
    const children = parseInline(title);
    return { block: { kind: 'heading', level: marks.length, id: idOf(children, ids), children }, lines: 1 };
  }
  if (TABLE_ROW.test(line)) return takeTable(takeWhile(lines, at, (one) => TABLE_ROW.test(one)));
  if (INDENTED.test(line)) return takeIndented(lines, at);
  if (ITEM.test(line)) return takeList(takeWhile(lines, at, isGoingOn));
  const text = takeWhile(lines, at, (one) => isGoingOn(one) && !ITEM.test(one));
  return { block: { kind: 'paragraph', children: parseInline(text.join(' ')) }, lines: text.length };
}

/** Whether a line belongs to the paragraph or the list above it. */
function isGoingOn(line: string): boolean {
  return line.trim() !== '' && ![FENCE, HEADING, TABLE_ROW, COMMENT].some((other) => other.test(line));
}

function takeWhile(lines: readonly string[], from: number, belongs: (line: string) => boolean): string[] {
  const end = lines.findIndex((line, at) => at > from && !belongs(line));
  return lines.slice(from, end === -1 ? lines.length : end);
}

function takeFenced(lines: readonly string[], at: number): Taken {
  const end = lines.findIndex((line, index) => index > at && FENCE.test(line));
  const last = end === -1 ? lines.length : end;
  return { block: { kind: 'code', text: lines.slice(at + 1, last).join('\n') }, lines: last + 1 - at };
}

function takeIndented(lines: readonly string[], at: number): Taken {
  const taken = takeWhile(lines, at, (line) => INDENTED.test(line));
  return {
    block: { kind: 'code', text: taken.map((line) => line.slice(4)).join('\n') },
    lines: taken.length,
  };
}

/** A line without a mark belongs to the item above it. */
function takeList(lines: readonly string[]): Taken {
  const items: string[] = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item !== null) items.push(item[2] ?? '');
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  const isOrdered = ITEM.exec(lines[0] ?? '')?.[1] === undefined;
  return { block: { kind: 'list', isOrdered, items: items.map(parseInline) }, lines: lines.length };
}

function takeTable(lines: readonly string[]): Taken {
  const [head = [], marks = [], ...rows] = lines.map(cellsOf);
  const isNumber = marks.map((mark) => /^-+:$/.test(mark));
  const parsed = (row: readonly string[]) => row.map(parseInline);
  return {
    block: { kind: 'table', head: parsed(head), rows: rows.map(parsed), isNumber },
    lines: lines.length,
  };
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const INLINE =
  /`([^`]+)`|\*\*(?=\S)(.*?\S)\*\*|\*(?=\S)([^*]*?\S)\*|\[([^\]]*)\]\(([^()\s]+)\)|<(https?:\/\/[^\s<>]+)>/;

export function parseInline(text: string): Inline[] {
  const found = INLINE.exec(text);
  if (found === null) return text === '' ? [] : [{ kind: 'text', text }];
  const [whole, code, strong, em, label = '', href, address] = found;
  const before = text.slice(0, found.index);
  const piece = (): Inline => {
    if (code !== undefined) return { kind: 'code', text: code };
    if (strong !== undefined) return { kind: 'strong', children: parseInline(strong) };
    if (em !== undefined) return { kind: 'em', children: parseInline(em) };
    if (href !== undefined) return { kind: 'link', href, children: parseInline(label) };
    return { kind: 'link', href: address ?? '', children: [{ kind: 'text', text: address ?? '' }] };
  };
  return [
    ...(before === '' ? [] : [{ kind: 'text', text: before } as const]),
    piece(),
    ...parseInline(text.slice(found.index + whole.length)),
  ];
}

/** The text without its form. */
export function plainText(pieces: readonly Inline[]): string {
  return pieces.map((piece) => ('text' in piece ? piece.text : plainText(piece.children))).join('');
}

/** A second heading of the same name gets a number. */
function idOf(title: readonly Inline[], ids: Map<string, number>): string {
  const id = plainText(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
  const count = ids.get(id) ?? 0;
  ids.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}
