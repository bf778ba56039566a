import { decodeText } from './charset.ts';
import { decodeWords } from './encoded-words.ts';
import {
  type Parameterised,
  type Part,
  parameterOf,
  parseParameterised,
  partsOf,
  readMessage,
} from './mime-part.ts';
import { ScanBudget } from './scan-budget.ts';
import { decodeTransfer } from './transfer-encoding.ts';

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

/** A file that came with a mail. */
export interface Attachment {
  readonly name: string;
  readonly type: string;
  /** The number of bytes as sent, encoded. */
  readonly size: number;
}

/** A mail as people read it. */
export interface MailContent {
  readonly from: string;
  readonly to: string;
  readonly date: string;
  readonly subject: string;
  /** The first inline plain text. Null if there is none. */
  readonly text: string | null;
  /** The source of the first inline HTML. The sender wrote it, so it must not be shown as it is. */
  readonly html: string | null;
  readonly attachments: readonly Attachment[];
}

/** Never throws. When the budget is spent, it returns the part that was found so far. */
export function mailContent(raw: Uint8Array, scan = mailScanBudget(raw.length)): MailContent {
  const message = readMessage(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), scan);
  const search = new PartSearch(scan, { wantsAttachments: true });
  search.visit(message);
  const field = (name: string) => {
    const encoded = message.fields.get(name) ?? '';
    return decodeWords(encoded.slice(0, scan.take(encoded.length)));
  };
  return {
    from: field('from'),
    to: field('to'),
    date: field('date'),
    subject: field('subject'),
    text: search.plain,
    html: search.html,
    attachments: search.attachments,
  };
}

/** Searches depth first for a plain text and an HTML text, and for attachments if they are wanted. */
export class PartSearch {
  plain: string | null = null;
  html: string | null = null;
  readonly attachments: Attachment[] = [];
  readonly #scan: ScanBudget;
  readonly #wantsAttachments: boolean;
  #parts = 0;

  constructor(scan: ScanBudget, { wantsAttachments = false } = {}) {
    this.#scan = scan;
    this.#wantsAttachments = wantsAttachments;
  }

  visit(part: Part, depth = 0): void {
    if (this.#isOver()) return;
    const type = parseParameterised(part.fields.get('content-type') ?? '');
    if (isAttachment(part)) this.#attach(part, type);
    else if (type.value.startsWith('multipart/')) this.#visitMultipart(part, type, depth);
    else if (type.value === 'text/html') this.html ??= this.#textOf(part, type);
    else if (isPlain(type.value)) this.plain ??= this.#textOf(part, type);
    else this.#attach(part, type);
  }

  #visitMultipart(part: Part, type: Parameterised, depth: number): void {
    if (depth === MAX_DEPTH) return;
    const before = this.#parts;
    const children = this.#counted(partsOf(part.body, parameterOf(type, 'boundary'), this.#scan));
    const isRelated = type.value === 'multipart/related' && !this.#wantsAttachments;
    for (const child of isRelated ? rootOf(children, type) : children) {
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

  #attach({ fields, body }: Part, type: Parameterised): void {
    if (!this.#wantsAttachments) return;
    const disposition = parseParameterised(fields.get('content-disposition') ?? '');
    const name = parameterOf(disposition, 'filename') || parameterOf(type, 'name');
    this.attachments.push({ name: decodedName(name), type: type.value, size: body.length });
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
    if (this.#scan.isSpent || this.#parts > MAX_PARTS) return true;
    return !this.#wantsAttachments && this.plain !== null && this.html !== null;
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

/** Names are sent as encoded words, or as parts of addresses are encoded (RFC 2231). */
function decodedName(name: string): string {
  if (!/%[0-9a-f]{2}/i.test(name)) return decodeWords(name);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
