/** Route parameters that match only what they name; anything else is no route at all, hence 404. */
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const UNIQUE_KEY_LENGTH = 40;

export const UUID_PATTERN = `^${UUID}$`;
export const UUID_SEGMENT = `:check(${UUID_PATTERN})`;
export const CHANNEL_SEGMENT = `:channel(${UUID_PATTERN})`;
/** Either of a check's identifiers: the router cannot tell two routes apart by their patterns alone. */
export const CHECK_SEGMENT = `:check(^(?:${UUID}|[0-9A-Za-z]{${UNIQUE_KEY_LENGTH}})$)`;
export const NUMBER_SEGMENT = ':n(^[0-9]+$)';
export const TOKEN = '^[-a-zA-Z0-9_]+$';

export function isUniqueKey(segment: string): boolean {
  return segment.length === UNIQUE_KEY_LENGTH;
}
