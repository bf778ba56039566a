import { fromTemporal, type Instant, seconds } from '../../lib/instant.ts';
import { inZone } from '../../lib/zone.ts';

/** For how long people snooze. `morning`: until it is 08:00 the next time. `tomorrow`: until 08:00 of the next day. */
export const SNOOZES = ['hour', 'four_hours', 'morning', 'tomorrow'] as const;

export type SnoozeSpan = (typeof SNOOZES)[number];

const MORNING = { hour: 8, minute: 0, second: 0, millisecond: 0, microsecond: 0, nanosecond: 0 } as const;

/** When a snooze ends that begins now. Days and mornings are those of the zone. */
export function snoozeEnd(span: SnoozeSpan, tz: string, now: Instant): Instant {
  if (span === 'hour') return now + seconds(3600);
  if (span === 'four_hours') return now + seconds(4 * 3600);
  const local = inZone(now, tz);
  const today = local.with(MORNING);
  const isMorning = span === 'morning' && Temporal.ZonedDateTime.compare(local, today) < 0;
  return fromTemporal((isMorning ? today : local.add({ days: 1 }).with(MORNING)).toInstant());
}
