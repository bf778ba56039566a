import { AppError } from '../../domain/errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const EMPTY: JsonObject = {};

// Fatal and keeping the BOM: a body that is not plain UTF-8 is refused, not repaired.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body of a POST as a JSON object, whatever its content type. No body at all is an empty object. */
export function parseJsonBody(bytes: Uint8Array, options: { acceptsNullBody?: boolean } = {}): JsonObject {
  if (bytes.length === 0) return EMPTY;
  const value = parseJson(bytes);
  if (value === null && options.acceptsNullBody === true) return EMPTY;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_body', 'json validation error: value is not an object');
  }
  // An object that came out of JSON has text keys and nothing hidden.
  return value as JsonObject;
}

/**
 * How often each of these may stand in a body. All texts of a request together cannot hold as many, so that whoever sends
 * more is not after a check: two million brackets take a quarter of a second to parse.
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
