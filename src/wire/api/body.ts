import { AppError } from '../../domain/errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const EMPTY: JsonObject = {};

// Rejects invalid UTF-8 instead of repairing it, and keeps a BOM, which the JSON parser then rejects.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body of a POST as a JSON object, whatever its content type. A missing body counts as an empty object. */
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
 * How often each of these characters may occur in a body. Valid requests have fewer. The limit exists because parsing two
 * million brackets takes a quarter of a second.
 */
export const MAX_BODY_MARKS = 110_000;
const MARKS = ['[', '{', ','].map((mark) => mark.charCodeAt(0));

function hasTooManyMarks(bytes: Uint8Array): boolean {
  if (bytes.length <= MAX_BODY_MARKS) return false;
  return MARKS.some((mark) => {
    let count = 0;
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
      if (++count > MAX_BODY_MARKS) return true;
    }
    return false;
  });
}

function parseJson(bytes: Uint8Array): unknown {
  if (hasTooManyMarks(bytes)) throw new AppError('invalid_body', 'could not parse request body');
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new AppError('invalid_body', 'could not parse request body', { cause });
  }
}
