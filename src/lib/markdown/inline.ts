/** A piece of a line. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly kind: 'break' };

/** Deeper emphasis is text. */
const MAX_DEPTH = 4;

export interface MarkdownRules {
  /** Decides whether a target may be linked. Other links become text. */
  readonly mayLink: (href: string) => boolean;
  /** The most pieces that are made. The rest is text. */
  readonly maxPieces: number;
}

/** Counts the pieces that a reader of Markdown may still make, and the characters that it has looked at. */
export class Work {
  readonly mayLink: MarkdownRules['mayLink'];
  #piecesLeft: number;
  #steps = 0;

  constructor({ mayLink = () => true, maxPieces = Number.POSITIVE_INFINITY }: Partial<MarkdownRules> = {}) {
    this.mayLink = mayLink;
    this.#piecesLeft = maxPieces;
  }

  /** The number of looks at a character. It grows with the length of the text alone. */
  get steps(): number {
    return this.#steps;
  }

  /** Counts characters that were looked at. */
  look(characters = 1): void {
    this.#steps += characters;
  }

  /** Whether one more piece may be made. */
  takePiece(): boolean {
    return --this.#piecesLeft >= 0;
  }
}

/** Reads the pieces of a text, from its begin to its end, once for each level of emphasis. */
export function readInline(text: string, work: Work, depth = 0): Inline[] {
  return new InlineReader(text, work, depth).read();
}

/** The text without its form. */
export function plainText(pieces: readonly Inline[]): string {
  return pieces
    .map((piece) => {
      if (piece.kind === 'break') return ' ';
      return 'text' in piece ? piece.text : plainText(piece.children);
    })
    .join('');
}

interface Found {
  readonly piece: Inline;
  /** The place where the text continues. */
  readonly end: number;
}

class InlineReader {
  readonly #text: string;
  readonly #work: Work;
  readonly #depth: number;
  readonly #pieces: Inline[] = [];
  readonly #backticks: Places;
  readonly #brackets: Places;
  readonly #closers: Readonly<Record<string, Places>>;
  /** The target after the bracket at that place. All brackets before it share the answer. */
  #target: { readonly bracket: number; readonly href: string | null } = { bracket: -1, href: null };

  constructor(text: string, work: Work, depth: number) {
    const places = (isOne: (at: number) => boolean) => new Places(text.length, isOne, work);
    this.#text = text;
    this.#work = work;
    this.#depth = depth;
    this.#backticks = places((at) => text[at] === '`');
    this.#brackets = places((at) => text[at] === ']');
    this.#closers = {
      '*': places((at) => text[at] === '*'),
      _: places((at) => text[at] === '_'),
      '**': places((at) => text.startsWith('**', at) && !isSpace(text[at - 1])),
      __: places((at) => text.startsWith('__', at) && !isSpace(text[at - 1]) && !isWord(text[at + 2])),
    };
  }

  read(): Inline[] {
    const text = this.#text;
    let plainFrom = 0;
    let at = 0;
    while (at < text.length) {
      this.#work.look();
      const found = this.#depth > MAX_DEPTH ? null : this.#findAt(at);
      if (found === null) {
        at += this.#skipped;
        continue;
      }
      if (!this.#work.takePiece()) break;
      this.#addText(plainFrom, at);
      this.#pieces.push(found.piece);
      at = found.end;
      plainFrom = at;
    }
    this.#addText(plainFrom, text.length);
    return this.#pieces;
  }

  /** Characters that are plain text, after a look that has found nothing. */
  #skipped = 1;

  #findAt(at: number): Found | null {
    this.#skipped = 1;
    switch (this.#text[at]) {
      case '`':
        return this.#code(at);
      case '*':
      case '_':
        return this.#strong(at) ?? this.#emphasis(at);
      case '[':
        return this.#link(at);
      case '<':
        return this.#address(at);
      case 'h':
        return this.#bareAddress(at);
      case ' ':
      case '\\':
        return this.#lineEnd(at);
      default:
        return null;
    }
  }

  #code(at: number): Found | null {
    const end = this.#backticks.from(at + 1);
    if (end === null || end === at + 1) return null;
    return { piece: { kind: 'code', text: flat(this.#text.slice(at + 1, end)) }, end: end + 1 };
  }

  #strong(at: number): Found | null {
    const mark = this.#text[at] === '*' ? '**' : '__';
    if (!this.#text.startsWith(mark, at) || isSpace(this.#text[at + 2])) return null;
    if (mark === '__' && isWord(this.#text[at - 1])) return null;
    const end = this.#closers[mark]?.from(at + 3) ?? null;
    if (end === null) return null;
    return { piece: { kind: 'strong', children: this.#inner(at + 2, end) }, end: end + 2 };
  }

  /** Emphasis ends at the next mark of its kind. Without one, the mark is text. */
  #emphasis(at: number): Found | null {
    const mark = this.#text[at] ?? '';
    const end = this.#closers[mark]?.from(at + 1) ?? null;
    if (end === null || end === at + 1) return null;
    if (isSpace(this.#text[at + 1]) || isSpace(this.#text[end - 1])) return null;
    const isInWord = isWord(this.#text[at - 1]) || isWord(this.#text[end + 1]);
    if (mark === '_' && isInWord) return null;
    return { piece: { kind: 'em', children: this.#inner(at + 1, end) }, end: end + 1 };
  }

  #link(at: number): Found | null {
    const bracket = this.#brackets.from(at + 1);
    const href = bracket === null ? null : this.#targetAfter(bracket);
    if (bracket === null || href === null || !this.#work.mayLink(href)) return null;
    // Behind the bracket stand the address and the two signs around it.
    return {
      piece: { kind: 'link', href, children: this.#inner(at + 1, bracket) },
      end: bracket + href.length + 3,
    };
  }

  #targetAfter(bracket: number): string | null {
    if (this.#target.bracket === bracket) return this.#target.href;
    const start = bracket + 2;
    const end = this.#text[bracket + 1] === '(' ? this.#endOf(start, /[()\s]/) : start;
    const href = this.#text[end] === ')' && end > start ? this.#text.slice(start, end) : null;
    this.#target = { bracket, href };
    return href;
  }

  /** `<https://example.org>` */
  #address(at: number): Found | null {
    const start = at + 1;
    if (!isAddress(this.#text, start)) return null;
    const end = this.#endOf(start, /[\s<>]/);
    const href = this.#text.slice(start, end);
    if (this.#text[end] !== '>' || !this.#work.mayLink(href)) return null;
    return { piece: linkTo(href), end: end + 1 };
  }

  /** `https://example.org`, without the signs that end a sentence. */
  #bareAddress(at: number): Found | null {
    if (!isAddress(this.#text, at)) return null;
    const scheme = this.#text.indexOf('//', at) + 2;
    let end = this.#endOf(scheme, /[\s<>"')\]]/);
    for (; end > scheme && /[.,;:!?]/.test(this.#text[end - 1] ?? ''); end--) this.#work.look();
    const href = this.#text.slice(at, end);
    return end === scheme || !this.#work.mayLink(href) ? null : { piece: linkTo(href), end };
  }

  /** Two spaces, or a backslash, before the end of a line break it. */
  #lineEnd(at: number): Found | null {
    const isBackslash = this.#text[at] === '\\';
    const end = isBackslash ? at + 1 : this.#endOf(at, /[^ ]/);
    if (this.#text[end] === '\n' && (isBackslash || end - at >= 2))
      return { piece: { kind: 'break' }, end: end + 1 };
    this.#skipped = end - at;
    return null;
  }

  /** The first place from there on that has such a character, or the end of the text. */
  #endOf(from: number, stop: RegExp): number {
    let at = from;
    while (at < this.#text.length && !stop.test(this.#text[at] ?? '')) at++;
    this.#work.look(at - from + 1);
    return at;
  }

  #inner(from: number, to: number): Inline[] {
    return readInline(this.#text.slice(from, to), this.#work, this.#depth + 1);
  }

  #addText(from: number, to: number): void {
    if (to > from) this.#pieces.push({ kind: 'text', text: flat(this.#text.slice(from, to)) });
  }
}

/** The places of a sign. They are asked for from left to right, so that the text is looked through once. */
class Places {
  readonly #length: number;
  readonly #isOne: (at: number) => boolean;
  readonly #work: Work;
  /** The place that was found last. Up to there nothing has to be looked at again. */
  #at = -1;

  constructor(length: number, isOne: (at: number) => boolean, work: Work) {
    this.#length = length;
    this.#isOne = isOne;
    this.#work = work;
  }

  /** The first place from there on. Null if there is none. */
  from(start: number): number | null {
    if (this.#at < start) {
      this.#at = start;
      while (this.#at < this.#length && !this.#isOne(this.#at)) this.#at++;
      this.#work.look(this.#at - start + 1);
    }
    return this.#at < this.#length ? this.#at : null;
  }
}

function linkTo(href: string): Inline {
  return { kind: 'link', href, children: [{ kind: 'text', text: href }] };
}

function isAddress(text: string, at: number): boolean {
  return text.startsWith('https://', at) || text.startsWith('http://', at);
}

/** A text in one line. */
function flat(text: string): string {
  return text.replaceAll('\n', ' ');
}

function isSpace(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character);
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
