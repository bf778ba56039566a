import type { CheckRef } from '../domain/check/check.ts';

/** Route parameters match only valid identifiers. Any other path has no route and is answered with 404. */
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const UNIQUE_KEY_LENGTH = 40;

export const UUID_PATTERN = `^${UUID}$`;
export const UUID_SEGMENT = `:check(${UUID_PATTERN})`;
export const QUIET_TIME_SEGMENT = `:quiet_time(${UUID_PATTERN})`;
export const CHANNEL_SEGMENT = `:channel(${UUID_PATTERN})`;
export const POLICY_SEGMENT = `:policy(${UUID_PATTERN})`;
export const CALENDAR_SEGMENT = `:calendar(${UUID_PATTERN})`;
/** Matches both identifiers of a check: the router cannot distinguish two routes by their patterns alone. */
export const CHECK_SEGMENT = `:check(^(?:${UUID}|[0-9A-Za-z]{${UNIQUE_KEY_LENGTH}})$)`;
export const UNIQUE_KEY_SEGMENT = `:check(^[0-9A-Za-z]{${UNIQUE_KEY_LENGTH}}$)`;
export const NUMBER_SEGMENT = ':n(^[0-9]+$)';
export const TOKEN = '^[-a-zA-Z0-9_]+$';

/** The project in a path of the API for accounts. */
export const PROJECT_SEGMENT = `:project_uuid(${UUID_PATTERN})`;
export const MEMBER_SEGMENT = `:member_uuid(${UUID_PATTERN})`;
export const INVITATION_SEGMENT = `:invitation_uuid(${UUID_PATTERN})`;
export const KEY_SEGMENT = `:key_uuid(${UUID_PATTERN})`;

const WHOLE_UUID = new RegExp(UUID_PATTERN);

/** Whether the text is a UUID as paths contain it. */
export function isUuid(text: string): boolean {
  return WHOLE_UUID.test(text);
}

/** The check that a segment names. */
export function checkRef(segment: string): CheckRef {
  return isUniqueKey(segment) ? { uniqueKey: segment } : { uuid: segment };
}

export function isUniqueKey(segment: string): boolean {
  return segment.length === UNIQUE_KEY_LENGTH;
}
