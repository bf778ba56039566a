import { type Instant, toTemporal } from './instant.ts';

/** What clocks and calendars of the zone show. A zone that the runtime does not know counts as UTC. */
export function inZone(at: Instant, timeZone: string): Temporal.ZonedDateTime {
  const instant = toTemporal(at);
  try {
    return instant.toZonedDateTimeISO(timeZone);
  } catch {
    return instant.toZonedDateTimeISO('UTC');
  }
}
