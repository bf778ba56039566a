import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/**
 * After this many characters the pieces found are joined and their blanks collapsed, because pieces take more memory
 * than text.
 */
const STRIDE = 65_536;

/**
 * The text of an HTML document. Tags, comments, scripts and styles are dropped, and character references decoded. Texts
 * are joined directly, so `<b>S</b>UCCESS` becomes `SUCCESS`. White space is collapsed.
 */
export function htmlToText(html: string): string {
  const texts: string[] = [];
  const collector = new TextCollector(html);
  // Uses only the tokeniser: the parser searches all open tags for each closing tag, which takes too long for hostile
  // input.
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, collector);
  let endsWithBlank = true;
  const keep = (text: string) => {
    const collapsed = text.replace(/\s+/g, ' ');
    const added = endsWithBlank && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed;
    texts.push(added);
    if (added !== '') endsWithBlank = added.endsWith(' ');
  };
  for (let at = 0; at < html.length; at += STRIDE) {
    tokenizer.write(html.slice(at, at + STRIDE));
    keep(collector.take());
  }
  tokenizer.end();
  keep(collector.take());
  return texts.join('').trimEnd();
}

class TextCollector implements TokenizerCallbacks {
  readonly #html: string;
  #texts: string[] = [];
  /** The open element whose content is not text, such as `script`. */
  #silent: string | null = null;

  constructor(html: string) {
    this.#html = html;
  }

  take(): string {
    const text = this.#texts.join('');
    this.#texts = [];
    return text;
  }

  ontext(start: number, end: number): void {
    if (this.#silent === null) this.#texts.push(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    if (this.#silent === null) this.#texts.push(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.#silent = this.#silentName(start, end);
  }

  onselfclosingtag(): void {
    this.#silent = null;
  }

  onclosetag(start: number, end: number): void {
    if (this.#silentName(start, end) === this.#silent) this.#silent = null;
  }

  #silentName(start: number, end: number): string | null {
    // A longer name is neither of the two, so it is not copied.
    if (end - start > 'script'.length) return null;
    const name = this.#html.slice(start, end).toLowerCase();
    return name === 'script' || name === 'style' ? name : null;
  }

  onattribdata(): void {}
  onattribentity(): void {}
  onattribend(): void {}
  onattribname(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}
}
