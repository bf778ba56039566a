/** A piece of a line. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly kind: 'break' };

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly children: readonly Inline[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly children: readonly Inline[] };

/** Deeper emphasis is text. */
const MAX_DEPTH = 4;

const FENCE = /^\s*```/;
const ITEM = /^\s*(?:([-*+])|\d{1,9}[.)])\s+(.*)$/;
const HEADING = /^#{1,6}\s+(.*?)\s*#*$/;

/**
 * A small part of Markdown: paragraphs, headings, lists, quotes, code, emphasis and links. HTML is text like any other. The
 * result is data, from which elements are made: nothing of it is ever parsed as HTML.
 */
export function parseMarkdown(source: string): Block[] {
  const lines = source.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    if (line.trim() === '') at++;
    else if (FENCE.test(line)) {
      const end = lines.findIndex((one, index) => index > at && FENCE.test(one));
      const last = end === -1 ? lines.length : end;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, last).join('\n') });
      at = last + 1;
    } else {
      const taken = takeWhile(lines, at, kindOf(line));
      blocks.push(blockOf(kindOf(line), taken));
      at += taken.length;
    }
  }
  return blocks;
}

type LineKind = 'heading' | 'bullet' | 'number' | 'quote' | 'text';

function kindOf(line: string): LineKind {
  if (HEADING.test(line)) return 'heading';
  if (/^\s*>/.test(line)) return 'quote';
  const item = ITEM.exec(line);
  if (item !== null) return item[1] === undefined ? 'number' : 'bullet';
  return 'text';
}

function takeWhile(lines: readonly string[], from: number, kind: LineKind): string[] {
  const taken = [lines[from] ?? ''];
  if (kind === 'heading') return taken;
  for (const line of lines.slice(from + 1)) {
    if (line.trim() === '' || FENCE.test(line)) break;
    const isGoingOn = kindOf(line) === kind || (kind !== 'text' && kindOf(line) === 'text');
    if (!isGoingOn) break;
    taken.push(line);
  }
  return taken;
}

function blockOf(kind: LineKind, lines: readonly string[]): Block {
  switch (kind) {
    case 'heading':
      return { kind: 'heading', children: parseInline(HEADING.exec(lines[0] ?? '')?.[1] ?? '') };
    case 'bullet':
    case 'number':
      return {
        kind: 'list',
        isOrdered: kind === 'number',
        items: itemsOf(lines).map((item) => parseInline(item)),
      };
    case 'quote':
      return {
        kind: 'quote',
        children: parseInline(lines.map((line) => line.replace(/^\s*>\s?/, '')).join('\n')),
      };
    case 'text':
      return { kind: 'paragraph', children: parseInline(lines.join('\n')) };
    default:
      return kind satisfies never;
  }
}

/** A line without a mark belongs to the item above it. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item !== null) items.push(item[2] ?? '');
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return items;
}

const INLINE =
  /`([^`]+)`|\*\*(?=\S)([\s\S]*?\S)\*\*|__(?=\S)([\s\S]*?\S)__|\*(?=\S)([^*]*?\S)\*|(?<!\w)_(?=\S)([^_]*?\S)_(?!\w)|\[([^\]]*)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:!?])|( {2,}\n|\\\n)/;

function parseInline(text: string, depth = 0): Inline[] {
  const found = depth > MAX_DEPTH ? null : INLINE.exec(text);
  if (found === null) return text === '' ? [] : [{ kind: 'text', text }];
  const [whole, code, strong = found[3], , em = found[5], , label, href, address, lineEnd] = found;
  const inner = (part: string) => parseInline(part, depth + 1);
  const before = text.slice(0, found.index);
  const piece = (): Inline => {
    if (code !== undefined) return { kind: 'code', text: code };
    if (strong !== undefined) return { kind: 'strong', children: inner(strong) };
    if (em !== undefined) return { kind: 'em', children: inner(em) };
    if (address !== undefined)
      return { kind: 'link', href: address, children: [{ kind: 'text', text: address }] };
    if (lineEnd !== undefined) return { kind: 'break' };
    // Other schemes may run something.
    if (href === undefined || !/^(https?:|mailto:)/i.test(href)) return { kind: 'text', text: whole };
    return { kind: 'link', href, children: inner(label ?? '') };
  };
  return [
    ...(before === '' ? [] : [{ kind: 'text', text: before } as const]),
    piece(),
    ...parseInline(text.slice(found.index + whole.length), depth),
  ];
}
