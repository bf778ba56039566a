import { CURRENT_NAME_BY_LEGACY_NAME, TIMEZONE_NAMES } from './timezone-names.ts';

const NAMES: ReadonlySet<string> = new Set(TIMEZONE_NAMES);

/** `Area/City`, perhaps with a region between. `UTC` and `GMT` are in the list; offsets are not names. */
const NAME_WITH_AREA = /^[A-Z][A-Za-z_]*(?:\/[A-Za-z0-9_+-]+)+$/;

/**
 * The name under which a check keeps its zone, or null when we do not accept it. Older names become today's
 * (`Europe/Kiev` is `Europe/Kyiv`). Case matters. Zones founded since the list was made are accepted as soon
 * as the runtime knows them.
 */
export function canonicalTimezone(name: string): string | null {
  if (NAMES.has(name)) return name;
  return CURRENT_NAME_BY_LEGACY_NAME.get(name) ?? (NAME_WITH_AREA.test(name) ? knownToRuntime(name) : null);
}

/**
 * The zone that the last part of an OnCalendar expression names, or null. Any name of the tz database will
 * do, older ones included. `right/` zones count leap seconds and `posix/` ones do not; we never do.
 */
export function evaluableZone(name: string): string | null {
  const plain = name.replace(/^(?:right|posix)\//, '');
  return CURRENT_NAME_BY_LEGACY_NAME.has(plain) ? plain : canonicalTimezone(plain);
}

function knownToRuntime(name: string): string | null {
  try {
    // The runtime also takes names in any case, and reports the proper spelling.
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return timeZoneId === name ? name : null;
  } catch {
    return null;
  }
}
