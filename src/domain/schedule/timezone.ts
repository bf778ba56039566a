import { CURRENT_NAME_BY_LEGACY_NAME, TIMEZONE_NAMES } from './timezone-names.ts';

const NAMES: ReadonlySet<string> = new Set(TIMEZONE_NAMES);

/** `Area/City`, sometimes with a region between them. `UTC` and `GMT` are in the list. Offsets are not names. */
const NAME_WITH_AREA = /^[A-Z][A-Za-z_]*(?:\/[A-Za-z0-9_+-]+)+$/;

/**
 * The name of a check's zone, as it was given. Null if it is not accepted. An older name stays: a program that declares
 * its checks compares the answer with its request, and would change it back for ever.
 */
export function acceptedTimezone(name: string): string | null {
  return canonicalTimezone(name) === null ? null : name;
}

/**
 * The name of the zone today, by which times are computed. Null if it is not accepted. Older names are replaced by current
 * ones (`Europe/Kiev` by `Europe/Kyiv`). Case matters. Zones that are newer than the list are accepted as soon as the
 * runtime knows them.
 */
export function canonicalTimezone(name: string): string | null {
  if (NAMES.has(name)) return name;
  return CURRENT_NAME_BY_LEGACY_NAME.get(name) ?? (NAME_WITH_AREA.test(name) ? knownToRuntime(name) : null);
}

/**
 * The zone that the last part of an OnCalendar expression names, or null. Any name of the tz database is accepted, also
 * older ones. `right/` zones count leap seconds and `posix/` zones do not; we never count them.
 */
export function evaluableZone(name: string): string | null {
  const plain = name.replace(/^(?:right|posix)\//, '');
  return CURRENT_NAME_BY_LEGACY_NAME.has(plain) ? plain : canonicalTimezone(plain);
}

function knownToRuntime(name: string): string | null {
  try {
    // The runtime accepts names in any case, and returns the correct spelling.
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return timeZoneId === name ? name : null;
  } catch {
    return null;
  }
}
