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

/** Whether both names stand for one zone, as `US/Eastern` and `America/New_York` do. */
export function isSameZone(one: string, other: string): boolean {
  return inZone(0, one).equals(inZone(0, other));
}

/** The name of the zone beside a time: `Berlin` of `Europe/Berlin`. */
export function zoneCity(timeZone: string): string {
  const name = inZone(0, timeZone).timeZoneId;
  // The signs in these names are inverted: `Etc/GMT+5` is five hours behind. Without `Etc/` it would say the opposite.
  if (/^Etc\/GMT[+-]/.test(name)) return name;
  return (name.split('/').at(-1) ?? name).replaceAll('_', ' ');
}
