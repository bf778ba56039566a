import { type Instant, toTemporal } from './instant.ts';

/** The local date and time in a zone. An unknown zone counts as UTC. */
export function inZone(at: Instant, timeZone: string): Temporal.ZonedDateTime {
  const instant = toTemporal(at);
  try {
    return instant.toZonedDateTimeISO(timeZone);
  } catch {
    return instant.toZonedDateTimeISO('UTC');
  }
}
