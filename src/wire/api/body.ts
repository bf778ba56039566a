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

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new AppError('invalid_body', 'could not parse request body', { cause });
  }
}
