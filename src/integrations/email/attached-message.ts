import { decodeWords, looksEncoded } from '../../lib/mime/encoded-words.ts';
import { decodeQuotedPrintable } from '../../lib/mime/transfer-encoding.ts';
import { decodeHeader, encodeHeader, isAscii } from './header-words.ts';

/** RFC 5322, section 2.1.1, without the line break. */
const MAX_LINE = 998;
const FOLDED_LINE = 76;
/** Real messages are nested less deeply. Deeper parts are left out. */
const DEEPEST = 10;

/** A header: its original lines, and its value without folding. */
interface Header {
  readonly name: string;
  readonly lines: string;
  readonly value: string;
}

/** Each character of the texts holds one byte. */
interface Entity {
  readonly headers: readonly Header[];
  readonly body: string;
}

type Mask = (text: string) => string;

/**
 * Converts a received message so that it can be attached to another one as `message/rfc822`. Such an attachment must
 * not be encoded as a whole (RFC 2046, section 5.2.1), so every line must be ASCII and short. Parts that break this
 * rule are encoded again. Messages inside it are left out, and secrets are masked. Everything else stays as it was
 * received.
 */
export function attachableMessage(message: Uint8Array, mask: Mask): Uint8Array {
  const entity = readEntity(textOf(message));
  const clean = cleanEntity(entity, { mask, depth: 0, defaultType: 'text/plain' });
  return Buffer.from(clean ?? printEntity(cleanHeaders(withoutContent(entity.headers), mask), ''), 'latin1');
}

/** The subject of a message, decoded; empty if it has none. */
export function subjectOf(message: Uint8Array): string {
  const { headers } = readEntity(textOf(message));
  return decodeWords(decodeHeader(headerValue(headers, 'subject') ?? ''));
}

/** Some programs that send mail use wrong line breaks. */
function textOf(message: Uint8Array): string {
  return Buffer.from(message)
    .toString('latin1')
    .replace(/\r\n|\r|\n/g, '\r\n');
}

interface Context {
  readonly mask: Mask;
  readonly depth: number;
  /** The type of a part that does not state one. */
  readonly defaultType: string;
}

/** Null for an entity that must not be part of an attached message. */
function cleanEntity(entity: Entity, context: Context): string | null {
  const contentType = headerValue(entity.headers, 'content-type') ?? context.defaultType;
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (context.depth > DEEPEST || type === 'message/rfc822' || type === 'message/global') return null;
  const boundary = type.startsWith('multipart/') ? boundaryOf(contentType) : null;
  if (boundary !== null) return cleanMultipart(entity, boundary, type, context);
  return cleanLeaf(entity, type, context);
}

function cleanMultipart({ headers, body }: Entity, boundary: string, type: string, context: Context): string {
  const { mask, depth } = context;
  const defaultType = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  const parts = splitParts(body, boundary)
    .map((part) => cleanEntity(readEntity(part), { mask, depth: depth + 1, defaultType }))
    .filter((part) => part !== null);
  const delimiter = `--${mask(boundary)}`;
  // A multipart needs at least one part.
  const printed = (parts.length > 0 ? parts : ['Content-Type: text/plain\r\n\r\n'])
    .map((part) => `${delimiter}\r\n${part}\r\n`)
    .join('');
  const cleaned = cleanHeaders(without(headers, 'content-transfer-encoding'), mask);
  return printEntity(cleaned, `${printed}${delimiter}--\r\n`);
}

function cleanLeaf({ headers, body }: Entity, type: string, { mask }: Context): string | null {
  const encoding = headerValue(headers, 'content-transfer-encoding')?.toLowerCase() ?? '7bit';
  const content = decodeContent(body, encoding);
  const isText = type.startsWith('text/') || type.startsWith('message/');
  const masked = isText ? mask(content) : content;
  const isEncoded = encoding === 'base64' || encoding === 'quoted-printable';
  if (isLegal(body) && masked === content) {
    const kept = isEncoded ? headers : without(headers, 'content-transfer-encoding');
    return printEntity(cleanHeaders(kept, mask), body);
  }
  const rest = without(headers, 'content-transfer-encoding');
  if (!isEncoded && isLegal(masked)) return printEntity(cleanHeaders(rest, mask), masked);
  // Other types of `message/` must not be encoded either. A multipart without parts is treated as bytes.
  if (type.startsWith('message/')) return null;
  const described = type.startsWith('multipart/')
    ? [...without(rest, 'content-type'), 'Content-Type: application/octet-stream'].map(toHeader)
    : rest;
  const lines = [...cleanHeaders(described, mask), 'Content-Transfer-Encoding: base64'];
  return printEntity(lines, toBase64Lines(masked));
}

function readEntity(text: string): Entity {
  if (!/^[!-9;-~]+[ \t]*:/.test(text)) return { headers: [], body: text.replace(/^\r\n/, '') };
  const end = text.indexOf('\r\n\r\n');
  const head = end === -1 ? text : text.slice(0, end);
  return { headers: readHeaders(head), body: end === -1 ? '' : text.slice(end + 4) };
}

function readHeaders(head: string): Header[] {
  const blocks: string[][] = [];
  for (const line of head.split('\r\n')) {
    if (/^[ \t]/.test(line)) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return blocks.map((lines) => toHeader(lines.join('\r\n'))).filter(({ name }) => name !== '');
}

function toHeader(lines: Header | string): Header {
  if (typeof lines !== 'string') return lines;
  const colon = lines.indexOf(':');
  const name = lines.slice(0, Math.max(0, colon)).trim();
  const value = lines
    .slice(colon + 1)
    .replaceAll('\r\n', '')
    .trim();
  return { name: /^[!-9;-~]+$/.test(name) ? name : '', lines, value };
}

/** Keeps each header that is valid and contains no secret. Writes the others again. */
function cleanHeaders(headers: readonly Header[], mask: Mask): string[] {
  return headers.map(({ name, lines, value }) => {
    const masked = mask(decodeHeader(value));
    const decoded = decodeWords(masked);
    const isHidden = mask(decoded) !== decoded;
    if (isLegal(lines) && masked === value && !isHidden) return lines;
    // Encoded words of the original header stay. Decoded text contains none: words that look encoded are encoded again.
    const encoded = isHidden
      ? encodeHeader(mask(decoded), (word) => !isAscii(word) || looksEncoded(word))
      : encodeHeader(masked, (word) => !isAscii(word));
    return folded(name, encoded);
  });
}

/** Breaks the value at blanks, but not before the first word. A word that is longer than a line is cut. */
function folded(name: string, value: string): string {
  const [first = '', ...words] = value.split(/[\s\0]+/);
  const lines = [`${name}: ${first}`];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= FOLDED_LINE) lines[lines.length - 1] = longer;
    else lines.push(` ${word}`);
  }
  return lines
    .flatMap((line) => line.match(/.{1,900}/gs) ?? [])
    .map((line, index) => (index === 0 || line.startsWith(' ') ? line : ` ${line}`))
    .join('\r\n');
}

function printEntity(headers: readonly string[], body: string): string {
  return `${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`;
}

/** If the message was cut off, its last delimiter may be missing. */
function splitParts(body: string, boundary: string): string[] {
  const parts: string[][] = [];
  for (const line of body.split('\r\n')) {
    const isDelimiter = line.startsWith(`--${boundary}`);
    const rest = isDelimiter ? line.slice(boundary.length + 2).trimEnd() : '';
    if (isDelimiter && rest === '--') break;
    if (isDelimiter && rest === '') parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map((lines) => lines.join('\r\n'));
}

function boundaryOf(contentType: string): string | null {
  const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare ?? '';
  return /^[ -~]{1,200}$/.test(boundary) ? boundary : null;
}

function decodeContent(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('latin1');
  if (encoding !== 'quoted-printable') return body;
  return decodeQuotedPrintable(Buffer.from(body, 'latin1')).toString('latin1');
}

function toBase64Lines(content: string): string {
  const lines =
    Buffer.from(content, 'latin1')
      .toString('base64')
      .match(/.{1,76}/g) ?? [];
  return lines.map((line) => `${line}\r\n`).join('');
}

function isLegal(text: string): boolean {
  return isAscii(text) && !text.includes('\0') && text.split('\r\n').every((line) => line.length <= MAX_LINE);
}

function headerValue(headers: readonly Header[], wanted: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value;
}

function without(headers: readonly Header[], unwanted: string): Header[] {
  return headers.filter(({ name }) => name.toLowerCase() !== unwanted);
}

function withoutContent(headers: readonly Header[]): Header[] {
  return headers.filter(({ name }) => !/^content-/i.test(name));
}
