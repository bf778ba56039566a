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
import { decodeTransfer } from '../lib/mime/transfer-encoding.ts';
import { htmlToText } from './html-text.ts';

/** The parts of a message in which keywords are looked for. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** Deeper than any mail program nests; what lies below is not searched. */
const DEEPEST = 20;
/** More than any mail program sends; what follows is not searched. */
const MOST_PARTS = 1000;

/**
 * The decoded subject, and the first inline plain text followed by the text of the first inline HTML. Whatever
 * the bytes are, there is an answer, and it takes time in proportion to their number.
 */
export function mailText(raw: Uint8Array): MailText {
  const message = readMessage(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  const search = new TextSearch();
  search.visit(message, 0);
  return {
    subject: decodeWords(message.fields.get('subject') ?? ''),
    text: [search.plain, search.html].filter((text) => text !== null).join('\n'),
  };
}

/** Depth first, until there is one of each. */
class TextSearch {
  plain: string | null = null;
  html: string | null = null;
  #parts = 0;

  visit(part: Part, depth: number): void {
    if (this.#isOver() || isAttachment(part)) return;
    const type = parseParameterised(part.fields.get('content-type') ?? '');
    if (type.value.startsWith('multipart/')) this.#visitMultipart(part, type, depth);
    else if (type.value === 'text/html') this.html ??= htmlToText(textOf(part, type));
    else if (isPlain(type.value)) this.plain ??= textOf(part, type);
  }

  #visitMultipart(part: Part, type: Parameterised, depth: number): void {
    if (depth === DEEPEST) return;
    const before = this.#parts;
    const children = this.#counted(partsOf(part.body, parameterOf(type, 'boundary')));
    for (const child of type.value === 'multipart/related' ? rootOf(children, type) : children) {
      this.visit(child, depth + 1);
      if (this.#isOver()) return;
    }
    // A multipart without a single part: somebody meant to say something nevertheless.
    if (this.#parts === before) this.plain ??= decodeText(part.body, '');
  }

  *#counted(children: Iterable<Part>): Generator<Part> {
    for (const child of children) {
      if (++this.#parts > MOST_PARTS) return;
      yield child;
    }
  }

  #isOver(): boolean {
    return this.#parts > MOST_PARTS || (this.plain !== null && this.html !== null);
  }
}

/** The part that the others belong to: the one that is named, else the first. */
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

/** A type that says nothing means plain text. */
function isPlain(type: string): boolean {
  return type === 'text/plain' || !/^[^/]+\/[^/]+$/.test(type);
}

function isAttachment({ fields }: Part): boolean {
  return parseParameterised(fields.get('content-disposition') ?? '').value === 'attachment';
}

function textOf({ fields, body }: Part, type: Parameterised): string {
  const encoding = parseParameterised(fields.get('content-transfer-encoding') ?? '').value;
  const bytes = decodeTransfer(body, encoding);
  return decodeText(bytes, parameterOf(type, 'charset'));
}

function bareId(contentId: string): string {
  return contentId.trim().replace(/^<|>$/g, '');
}
