import type { MailText } from '../domain/mail-filter.ts';
import { decodeText } from '../lib/mime/charset.ts';
import { decodeWords } from '../lib/mime/encoded-words.ts';
import {
  type Parameterised,
  type Part,
  parameterOf,
  parseParameterised,
  partsOf,
  readMessage,
} from '../lib/mime/mime-part.ts';
import { ScanBudget } from '../lib/mime/scan-budget.ts';
import { decodeTransfer } from '../lib/mime/transfer-encoding.ts';
import { htmlToText } from './html-text.ts';

/** Mail programs nest less. Deeper parts are not searched. */
export const MAX_DEPTH = 20;
/** Mail programs send fewer. Further parts are not searched. */
export const MAX_PARTS = 1000;
/** Each byte is read a few times: once for each level and each step of decoding. */
export const SCANS_PER_BYTE = 10;
/** Enough for short messages with many levels. */
const MIN_SCAN = 64 * 1024;

export function mailScanBudget(rawBytes: number): ScanBudget {
  return new ScanBudget(MIN_SCAN + SCANS_PER_BYTE * rawBytes);
}

/**
 * The decoded subject, and the first inline plain text followed by the text of the first inline HTML. Never throws.
 * When the budget is spent, it returns what was found so far.
 */
export function mailText(raw: Uint8Array, scan = mailScanBudget(raw.length)): MailText {
  const message = readMessage(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), scan);
  const encoded = message.fields.get('subject') ?? '';
  const subject = decodeWords(encoded.slice(0, scan.take(encoded.length)));
  const search = new TextSearch(scan);
  search.visit(message, 0);
  return { subject, text: [search.plain, search.html].filter((text) => text !== null).join('\n') };
}

/** Searches depth first until it has found a plain text and an HTML text. */
class TextSearch {
  plain: string | null = null;
  html: string | null = null;
  readonly #scan: ScanBudget;
  #parts = 0;

  constructor(scan: ScanBudget) {
    this.#scan = scan;
  }

  visit(part: Part, depth: number): void {
    if (this.#isOver() || isAttachment(part)) return;
    const type = parseParameterised(part.fields.get('content-type') ?? '');
    if (type.value.startsWith('multipart/')) this.#visitMultipart(part, type, depth);
    else if (type.value === 'text/html') this.html ??= this.#htmlOf(part, type);
    else if (isPlain(type.value)) this.plain ??= this.#textOf(part, type);
  }

  #visitMultipart(part: Part, type: Parameterised, depth: number): void {
    if (depth === MAX_DEPTH) return;
    const before = this.#parts;
    const children = this.#counted(partsOf(part.body, parameterOf(type, 'boundary'), this.#scan));
    for (const child of type.value === 'multipart/related' ? rootOf(children, type) : children) {
      this.visit(child, depth + 1);
      if (this.#isOver()) return;
    }
    // A multipart without any part: its body counts as plain text.
    if (this.#parts === before) this.plain ??= decodeText(this.#granted(part.body), '');
  }

  *#counted(children: Iterable<Part>): Generator<Part> {
    for (const child of children) {
      if (++this.#parts > MAX_PARTS) return;
      yield child;
    }
  }

  #htmlOf(part: Part, type: Parameterised): string {
    const html = this.#textOf(part, type);
    return htmlToText(html.slice(0, this.#scan.take(html.length)));
  }

  #textOf({ fields, body }: Part, type: Parameterised): string {
    const encoding = parseParameterised(fields.get('content-transfer-encoding') ?? '').value;
    const bytes = decodeTransfer(this.#granted(body), encoding);
    return decodeText(this.#granted(bytes), parameterOf(type, 'charset'));
  }

  #granted(bytes: Buffer): Buffer {
    return bytes.subarray(0, this.#scan.take(bytes.length));
  }

  #isOver(): boolean {
    if (this.#scan.isSpent) return true;
    return this.#parts > MAX_PARTS || (this.plain !== null && this.html !== null);
  }
}

/** The root of a `multipart/related`: the part that `start` names, else the first. */
function* rootOf(children: Iterable<Part>, type: Parameterised): Generator<Part> {
  const start = bareId(parameterOf(type, 'start'));
  let root: Part | null = null;
  for (const child of children) {
    const isNamed = start !== '' && bareId(child.fields.get('content-id') ?? '') === start;
    if (isNamed || root === null) root = child;
    if (isNamed || start === '') break;
  }
  if (root !== null) yield root;
}

/** An invalid or missing type means plain text. */
function isPlain(type: string): boolean {
  return type === 'text/plain' || !/^[^/]+\/[^/]+$/.test(type);
}

function isAttachment({ fields }: Part): boolean {
  return parseParameterised(fields.get('content-disposition') ?? '').value === 'attachment';
}

function bareId(contentId: string): string {
  return contentId.trim().replace(/^<|>$/g, '');
}
