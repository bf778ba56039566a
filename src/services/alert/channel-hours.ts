import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../domain/alert/channel.ts';
import { AppError } from '../../domain/errors.ts';
import { type Configured, hoursRuleOf } from '../../integrations/registry.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reads, Writes } from '../../storage/store.ts';

type Given = Readonly<Record<string, unknown>>;

/** The settings with the name of a calendar of the project, where they name its UUID. Refuses one that is not there. */
export async function withCalendarName(
  { calendars }: Pick<Reads, 'calendars'>,
  projectId: number,
  kind: string,
  values: Given,
): Promise<Given> {
  const { calendar: named } = hoursRuleOf({ kind, settings: { open: values, sealed: null } });
  if (named === null) return values;
  const known = await calendars.ofProject(projectId);
  const calendar = known.find(({ uuid, name }) => uuid === named || name === named);
  if (calendar === undefined)
    throw new AppError('invalid_field', `invalid calendar: ${named}`, { field: 'settings.hours' });
  return { ...values, hours: calendar.name };
}

/**
 * What waits for the hours of the channel is decided about anew, if they change. It is called before the channel is locked, as
 * whoever decides holds outages before channels.
 */
export async function wakeForHours(
  tx: Writes,
  { kind, projectId, settings }: Pick<Channel, 'projectId'> & Configured,
  given: Given,
  now: Instant,
): Promise<void> {
  const open = typeof settings.open === 'object' ? settings.open : {};
  const after = { kind, settings: { open: { ...open, ...given }, sealed: null } };
  if (!isDeepStrictEqual(hoursRuleOf({ kind, settings }), hoursRuleOf(after)))
    await tx.policies.wakeOutages(projectId, now);
}

/** Those of the channels whose hours are those of the calendar. */
export function channelsWithin(channels: readonly Channel[], calendar: string): Channel[] {
  return channels.filter((channel) => hoursRuleOf(channel).calendar === calendar);
}

/** Gives these channels another calendar. An empty name: none. */
export async function setCalendar(tx: Writes, channels: readonly Channel[], name: string): Promise<void> {
  for (const { id } of channels) {
    const channel = await tx.channels.lock(id);
    const open = channel?.settings.open;
    if (channel === null || typeof open !== 'object' || open === null) continue;
    const { hours: _hours, ...others } = open as Given;
    await tx.channels.setSettings(channel, {
      ...channel.settings,
      open: name === '' ? others : { ...others, hours: name },
    });
  }
}
