import type { Instant } from '../../src/lib/instant.ts';
import { type Hours, isWithin } from './naive-hours.ts';

/** An integration that is told in the hours of a calendar only. */
export interface ChannelHours {
  readonly channelId: number;
  /** The name of the calendar. Empty: none, any more. */
  readonly hours: string;
  /** What becomes of an outage that begins outside of them: `hold` or `drop`. */
  readonly outside: string;
}

/** Which integrations have which hours. */
export interface HoursOfChannels {
  readonly channelHours: readonly ChannelHours[];
  readonly calendars: readonly Hours[];
}

/** Whether that time is outside of the hours of the integration. */
export function isOutside(of: HoursOfChannels, channelId: number, at: Instant): boolean {
  const hours = hoursOf(of, channelId);
  return hours !== undefined && !isWithin(hours, at);
}

export function hasHours(of: HoursOfChannels, channelId: number): boolean {
  return hoursOf(of, channelId) !== undefined;
}

/** Whether the integration is never told of what began outside of its hours, also once they are taken away. */
export function isDropping({ channelHours }: HoursOfChannels, channelId: number): boolean {
  const own = channelHours.find((one) => one.channelId === channelId);
  return own?.outside === 'drop';
}

function hoursOf({ channelHours, calendars }: HoursOfChannels, channelId: number): Hours | undefined {
  const own = channelHours.find((one) => one.channelId === channelId);
  return own && calendars.find(({ name }) => name === own.hours);
}
