import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { escapeHtml } from '../html-escape.ts';

/** Elements that are kept, without their attributes. They give a text its structure and load nothing. */
const KEPT = new Set([
  ...['p', 'br', 'hr', 'div', 'span', 'center', 'blockquote', 'pre', 'code', 'kbd', 'samp', 'tt'],
  ...['b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'small', 'sub', 'sup', 'mark', 'a'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
  ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'],
]);

/** Elements without an end. */
const VOID = new Set(['br', 'hr']);

/** Elements whose content is not text for people. */
const SILENT = new Set([
  ...['script', 'style', 'title', 'template', 'noscript', 'iframe', 'object', 'svg', 'math'],
  ...['textarea', 'select', 'xmp', 'noembed', 'noframes', 'plaintext'],
]);

/** Attributes that are kept: they shape tables, and do nothing else. */
const KEPT_ATTRIBUTES = new Set(['colspan', 'rowspan']);

/** Deeper elements are left out; their text is kept. No mail needs as many, and browsers slow down. */
export const MAX_HTML_DEPTH = 200;
/** Characters that are looked at. */
export const MAX_HTML_LENGTH = 1024 * 1024;

/**
 * The HTML of a stranger in a form that loads and runs nothing, in any browser: only elements of the list above remain, all
 * text is escaped anew, and no attribute survives but numbers of cells. A picture becomes its description; a link becomes
 * its text with the address beside it.
 */
export function safeHtml(html: string): string {
  const source = html.slice(0, MAX_HTML_LENGTH);
  const collector = new SafeCollector(source);
  // Only the tokeniser is used, as for the text of mails: the parser takes too long for hostile input.
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, collector);
  tokenizer.write(source);
  tokenizer.end();
  return collector.finish();
}

class SafeCollector implements TokenizerCallbacks {
  readonly #html: string;
  readonly #out: string[] = [];
  readonly #open: { readonly name: string; readonly address: string | null }[] = [];
  #silent: { readonly name: string; depth: number } | null = null;
  #tag = '';
  #attribute = '';
  #value = '';
  #attributes = new Map<string, string>();

  constructor(html: string) {
    this.#html = html;
  }

  finish(): string {
    while (this.#open.length > 0) this.#close();
    return this.#out.join('');
  }

  ontext(start: number, end: number): void {
    this.#write(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#write(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase();
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (!this.#attributes.has(this.#attribute)) this.#attributes.set(this.#attribute, this.#value);
  }

  onopentagend(): void {
    const name = this.#tag;
    if (this.#silent !== null) {
      if (name === this.#silent.name) this.#silent.depth++;
      return;
    }
    if (SILENT.has(name)) this.#silent = { name, depth: 1 };
    else if (name === 'img') this.#writeImage();
    else if (KEPT.has(name)) this.#begin(name);
  }

  onselfclosingtag(): void {
    const name = this.#tag;
    if (this.#silent !== null) return;
    if (name === 'img') this.#writeImage();
    // Browsers ignore the slash of other elements.
    else if (KEPT.has(name)) this.#begin(name);
  }

  onclosetag(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    if (this.#silent !== null) {
      if (name === this.#silent.name && --this.#silent.depth === 0) this.#silent = null;
      return;
    }
    // An end without a beginning is left out. One that skips others ends them as well, as browsers do.
    if (!this.#open.some((one) => one.name === name)) return;
    while (this.#open.at(-1)?.name !== name) this.#close();
    this.#close();
  }

  #begin(name: string): void {
    if (this.#open.length >= MAX_HTML_DEPTH) return;
    const kept = [...this.#attributes].filter(
      ([attribute, value]) => KEPT_ATTRIBUTES.has(attribute) && /^\d{1,3}$/.test(value),
    );
    this.#out.push(`<${name}${kept.map(([attribute, value]) => ` ${attribute}="${value}"`).join('')}>`);
    if (VOID.has(name)) return;
    this.#open.push({ name, address: name === 'a' ? (this.#attributes.get('href') ?? null) : null });
  }

  #close(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    this.#out.push(`</${closed.name}>`);
    const { address } = closed;
    if (address !== null && /^(https?|mailto):/i.test(address)) this.#write(` <${address}>`);
  }

  #writeImage(): void {
    const description = this.#attributes.get('alt')?.trim() ?? '';
    if (description !== '') this.#write(`[${description}]`);
  }

  #write(text: string): void {
    if (this.#silent === null) this.#out.push(escapeHtml(text));
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
}
