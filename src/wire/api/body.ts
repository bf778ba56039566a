import { AppError } from '../../domain/errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const EMPTY: JsonObject = {};

// Rejects invalid UTF-8 instead of repairing it, and keeps a BOM, which the JSON parser then rejects.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body of a POST as a JSON object, of any content type. A missing body counts as an empty object. */
export function parseJsonBody(bytes: Uint8Array, options: { acceptsNullBody?: boolean } = {}): JsonObject {
  if (bytes.length === 0) return EMPTY;
  const value = parseJson(bytes);
  if (value === null && options.acceptsNullBody === true) return EMPTY;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_body', 'json validation error: value is not an object');
  }
  // An object from JSON has only text keys.
  return value as JsonObject;
}

/**
 * Opening brackets and commas outside of texts: about as many as there are values. A request of the API has some
 * dozens. A body with far more keeps the thread busy that answers pings: 50,000 fields take 0.1 s to parse.
 */
export const MAX_BODY_MARKS = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Texts end where they end for a JSON parser. In other bodies the parser stops before the two can differ. */
function hasTooManyMarks(bytes: Uint8Array): boolean {
  if (bytes.length <= MAX_BODY_MARKS) return false;
  let count = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (isText) {
      if (byte === QUOTE) isText = false;
      else if (byte === BACKSLASH) at++;
    } else if (byte === QUOTE) {
      isText = true;
    } else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
      if (++count > MAX_BODY_MARKS) return true;
    }
  }
  return false;
}

function parseJson(bytes: Uint8Array): unknown {
  if (hasTooManyMarks(bytes)) throw new AppError('invalid_body', 'could not parse request body');
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new AppError('invalid_body', 'could not parse request body', { cause });
  }
}
