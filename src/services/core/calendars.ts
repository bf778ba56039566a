import type { Calendar } from '../../domain/policy/calendar.ts';
import { calendarOf } from '../../domain/policy/stored-calendar.ts';
import type { Reads } from '../../storage/store.ts';

/** The calendars of these projects, by the UUIDs that policies and integrations name. Nothing is read where none is named. */
export async function calendarsOf(
  reads: Pick<Reads, 'calendars'>,
  projectIds: readonly number[],
  named: readonly (string | null)[],
): Promise<(uuid: string | null) => Calendar | null> {
  if (named.every((uuid) => uuid === null)) return () => null;
  const stored = await reads.calendars.ofProjects([...new Set(projectIds)]);
  const byUuid = new Map(stored.map((one) => [one.uuid, calendarOf(one)]));
  return (uuid) => (uuid === null ? null : (byUuid.get(uuid) ?? null));
}
