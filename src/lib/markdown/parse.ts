import { type Inline, type MarkdownRules, plainText, readInline, Work } from './inline.ts';

export { type Inline, plainText };

export type Block =
  | {
      readonly kind: 'heading';
      readonly level: number;
      /** Its name in addresses, as common viewers of Markdown make it. */
      readonly id: string;
      readonly children: readonly Inline[];
    }
  | { readonly kind: 'paragraph' | 'quote'; readonly children: readonly Inline[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | {
      readonly kind: 'table';
      readonly head: Row;
      readonly rows: readonly Row[];
      readonly isNumber: readonly boolean[];
    };

type Row = readonly (readonly Inline[])[];

/**
 * A part of Markdown: headings, paragraphs, quotes, flat lists, tables, code, emphasis and links. HTML is text like any other,
 * except comments, which are left out. The result is data: nothing of it is ever parsed as HTML.
 *
 * The work grows with the length of the text, whatever somebody writes: each line and each character is looked at a fixed
 * number of times.
 */
export function parseMarkdown(source: string, rules: Partial<MarkdownRules> = {}): Block[] {
  return readBlocks(source, new Work(rules));
}

export function parseInline(text: string, rules: Partial<MarkdownRules> = {}): Inline[] {
  return readInline(text, new Work(rules));
}

/** `parseMarkdown` with a given counter of work. */
export function readBlocks(source: string, work: Work): Block[] {
  const lines = source
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => lineOf(line, work));
  const blocks: Block[] = [];
  const ids = new Map<string, number>();
  for (let at = 0; at < lines.length; ) {
    const end = endOfBlock(lines, at, work);
    const block = blockOf(lines.slice(at, end), work, ids);
    if (block !== null) blocks.push(block);
    at = end;
  }
  return blocks;
}

type LineKind = 'blank' | 'comment' | 'fence' | 'heading' | 'row' | 'quote' | 'bullet' | 'number' | 'text';

interface Line {
  readonly kind: LineKind;
  /** The line as written. */
  readonly source: string;
  /** Without the mark of its block. */
  readonly text: string;
}

// Each is anchored at the begin of the line, and none of them can match a line in two ways.
const HEADING = /^#{1,6}(?=\s)/;
const QUOTE = /^\s*> ?/;
const ITEM = /^\s*(?:([-*+])|\d{1,3}[.)])(?=\s)/;
const INDENTED = /^ {4}/;

function lineOf(source: string, work: Work): Line {
  work.look(source.length + 1);
  const trimmed = source.trim();
  const line = (kind: LineKind, text = source) => ({ kind, source, text });
  if (trimmed === '') return line('blank');
  if (source.startsWith('<!--')) return line('comment');
  if (trimmed.startsWith('```')) return line('fence');
  if (HEADING.test(source)) return line('heading', titleOf(trimmed));
  if (source.startsWith('|') && trimmed.endsWith('|') && trimmed.length > 1) return line('row', trimmed);
  const [quote] = QUOTE.exec(source) ?? [];
  if (quote !== undefined) return line('quote', source.slice(quote.length));
  const item = ITEM.exec(source);
  if (item !== null)
    return line(item[1] === undefined ? 'number' : 'bullet', source.slice(item[0].length).trim());
  return line('text');
}

/** The text of a heading. Marks at its end are left out, as far as a space stands before them. */
function titleOf(heading: string): string {
  const title = heading.slice(heading.search(/[^#]/)).trim();
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return end === 0 || /\s/.test(title[end - 1] ?? '') ? title.slice(0, end).trimEnd() : title;
}

/** The first line that does not belong to the block of this line. */
function endOfBlock(lines: readonly Line[], at: number, work: Work): number {
  const first = lines[at];
  const belongs = first === undefined ? () => false : continuesBlock(first);
  let end = at + 1;
  for (let line = lines[end]; line !== undefined && belongs(line); line = lines[end]) {
    end++;
    work.look();
  }
  // The second fence belongs to the code.
  return first?.kind === 'fence' ? Math.min(end + 1, lines.length) : end;
}

/** Whether a line continues the block of this line. */
function continuesBlock(first: Line): (line: Line) => boolean {
  if (isIndented(first)) return isIndented;
  switch (first.kind) {
    case 'fence':
      return ({ kind }) => kind !== 'fence';
    case 'row':
    case 'text':
      return ({ kind }) => kind === first.kind;
    case 'quote':
    case 'bullet':
    case 'number':
      return ({ kind }) => kind === first.kind || kind === 'text';
    case 'blank':
    case 'comment':
    case 'heading':
      return () => false;
    default:
      return first.kind satisfies never;
  }
}

function isIndented({ kind, source }: Line): boolean {
  return kind !== 'blank' && kind !== 'fence' && INDENTED.test(source);
}

function blockOf(lines: readonly Line[], work: Work, ids: Map<string, number>): Block | null {
  const [first] = lines;
  if (first === undefined) return null;
  if (isIndented(first)) return { kind: 'code', text: lines.map(({ source }) => source.slice(4)).join('\n') };
  const inline = (text: string) => readInline(text, work);
  const texts = () => lines.map(({ text }) => text).join('\n');
  switch (first.kind) {
    case 'blank':
    case 'comment':
      return null;
    case 'fence': {
      const isClosed = lines.length > 1 && lines.at(-1)?.kind === 'fence';
      const code = lines.slice(1, isClosed ? -1 : lines.length);
      return { kind: 'code', text: code.map(({ source }) => source).join('\n') };
    }
    case 'heading': {
      const children = inline(first.text);
      const level = first.source.search(/[^#]/);
      return { kind: 'heading', level, id: idOf(children, ids), children };
    }
    case 'row':
      return tableOf(lines, inline);
    case 'bullet':
    case 'number':
      return { kind: 'list', isOrdered: first.kind === 'number', items: itemsOf(lines).map(inline) };
    case 'quote':
      return { kind: 'quote', children: inline(texts()) };
    case 'text':
      return { kind: 'paragraph', children: inline(texts()) };
    default:
      return first.kind satisfies never;
  }
}

/** A line without a mark belongs to the item above it. */
function itemsOf(lines: readonly Line[]): string[] {
  const items: string[][] = [];
  for (const { kind, text } of lines) {
    if (kind === 'text') items.at(-1)?.push(text.trim());
    else items.push([text]);
  }
  return items.map((parts) => parts.join(' '));
}

function tableOf(lines: readonly Line[], inline: (text: string) => Inline[]): Block {
  const [head = [], marks = [], ...rows] = lines.map(({ text }) => cellsOf(text));
  const isNumber = marks.map((mark) => /^-+:$/.test(mark));
  const parsed = (row: readonly string[]) => row.map(inline);
  return { kind: 'table', head: parsed(head), rows: rows.map(parsed), isNumber };
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
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
