import type { Calendar } from '../../domain/policy/calendar.ts';
import type { Recipient } from '../../domain/policy/recipients.ts';
import { calendarOf } from '../../domain/policy/stored-calendar.ts';
import { type Configured, hoursRuleOf } from '../../integrations/registry.ts';
import type { Reads } from '../../storage/store.ts';

/** A calendar as a policy names it, by its UUID, or an integration, by its name. Null: none. */
export interface NamedCalendar {
  readonly projectId: number;
  readonly calendar: string | null;
}

/** The calendars that are named. Nothing is read where none is. One that is gone is null: nothing is kept back for it. */
export async function calendarsOf(
  reads: Pick<Reads, 'calendars'>,
  named: readonly NamedCalendar[],
): Promise<(name: NamedCalendar) => Calendar | null> {
  const projectIds = named.flatMap(({ projectId, calendar }) => (calendar === null ? [] : [projectId]));
  if (projectIds.length === 0) return () => null;
  const stored = await reads.calendars.ofProjects([...new Set(projectIds)]);
  const byName = new Map(
    stored.flatMap((one) => {
      const calendar = calendarOf(one);
      return [one.name, one.uuid].map((name) => [`${one.projectId} ${name}`, calendar] as const);
    }),
  );
  return ({ projectId, calendar }) => byName.get(`${projectId} ${calendar}`) ?? null;
}

/** A channel of a project. */
export interface ProjectChannel {
  readonly projectId: number;
  readonly channel: Configured;
}

/** When each of the channels is told of outages. */
export async function channelHours(
  reads: Pick<Reads, 'calendars'>,
  channels: readonly ProjectChannel[],
): Promise<(of: ProjectChannel) => Pick<Recipient, 'hours' | 'outsideHours'>> {
  const named = ({ projectId, channel }: ProjectChannel) => ({ projectId, ...hoursRuleOf(channel) });
  const hoursOf = await calendarsOf(reads, channels.map(named));
  return (of) => ({ hours: hoursOf(named(of)), outsideHours: named(of).outsideHours });
}
