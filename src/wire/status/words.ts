import {
  type ComponentState,
  noticePhase,
  type PageState,
  type UpdateState,
} from '../../domain/public/status-page.ts';
import type { StatusView, ViewedComponent, ViewedNotice } from '../../domain/public/status-view.ts';
import type { Instant } from '../../lib/instant.ts';
import { inZone } from '../../lib/zone.ts';

/** The words of a component for outsiders. */
export const COMPONENT_WORDS: Readonly<Record<ComponentState, string>> = {
  works: 'Works',
  late: 'Late',
  down: 'Down',
  unknown: 'No data',
};

export const UPDATE_WORDS: Readonly<Record<UpdateState, string>> = {
  looking: 'Looking into it',
  found: 'Cause found',
  watching: 'Watching it',
  over: 'Over',
  note: 'Note',
};

export const HEADLINES: Readonly<Record<PageState, string>> = {
  works: 'Everything works',
  late: 'Some jobs are late',
  partly_down: 'Some jobs are not running as planned',
  down: 'No job is running as planned',
  unknown: 'Nothing has been reported yet',
};

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** `05:14` today, `Sat 03:06` the day before or after, `9 Nov 03:06` this year, else `9 Nov 2025 03:06`. */
export function timeWords(at: Instant, now: Instant, tz: string): string {
  const [then, today] = [inZone(at, tz), inZone(now, tz)];
  const time = `${twoDigits(then.hour)}:${twoDigits(then.minute)}`;
  const days = Math.abs(then.toPlainDate().until(today.toPlainDate()).total('days'));
  if (days === 0) return time;
  if (days === 1) return `${WEEKDAYS[then.dayOfWeek - 1]} ${time}`;
  return `${dateWords(at, now, tz)} ${time}`;
}

/** `9 Nov`, with the year if it is another one. */
export function dateWords(at: Instant, now: Instant, tz: string): string {
  const [then, today] = [inZone(at, tz), inZone(now, tz)];
  const date = `${then.day} ${MONTHS[then.month - 1]}`;
  return then.year === today.year ? date : `${date} ${then.year}`;
}

/** `99.97 %`. The number is cut and not rounded: 100 means that nothing was down. */
export function uptimeWords(share: number): string {
  const hundredths = share === 1 ? 10_000 : Math.min(9_999, Math.floor(share * 10_000));
  return `${Number((hundredths / 100).toFixed(2))} %`;
}

/** The phase of the notice. */
export function noticeWords(notice: ViewedNotice, { now, page: { tz } }: StatusView): string {
  const at = (time: Instant) => timeWords(time, now, tz);
  const { kind, startsAt, endsAt } = notice;
  const until = endsAt === null ? '' : at(endsAt);
  if (kind === 'incident')
    return endsAt === null ? `Open since ${at(startsAt)}` : `${at(startsAt)} to ${until}`;
  switch (noticePhase(notice, now)) {
    case 'planned':
      return `Planned for ${at(startsAt)} to ${until}`;
    case 'open':
      return `Under way until ${until}`;
    case 'over':
      return `Done, ${at(startsAt)} to ${until}`;
    default:
      return '';
  }
}

/** The affected components and the time since when, in a sentence. Empty if there are none. */
export function affectedWords({ components, now, page: { tz } }: StatusView): string {
  const affected = components.filter(({ state }) => state === 'down' || state === 'late');
  if (affected.length === 0) return '';
  const times = affected.flatMap(({ since }) => since ?? []);
  const since = times.length === 0 ? '' : ` since ${timeWords(Math.min(...times), now, tz)}`;
  const rest = components.some(({ state }) => state === 'works') ? ' Everything else works.' : '';
  return `${listed(affected.map(({ name }) => name))} ${affected.length === 1 ? 'is' : 'are'} affected${since}.${rest}`;
}

/** At most three names: `A, B and C`, `A, B and 4 more`. */
export function listed(names: readonly string[]): string {
  if (names.length === 1) return names[0] ?? '';
  const shown = names.length <= 3 ? names.slice(0, -1) : names.slice(0, 2);
  const last = names.length <= 3 ? names.at(-1) : `${names.length - shown.length} more`;
  return `${shown.join(', ')} and ${last}`;
}

/** The bars of the component in words, for people who do not see them. */
export function barWords(
  { name, days, uptime }: ViewedComponent,
  { dayStarts, now, page: { tz } }: StatusView,
): string {
  if (uptime === null) return `${name}: nothing is known of the last ${days.length} days`;
  const bad = days.flatMap((down, index) => {
    const start = dayStarts[index];
    return down === null || down === 0 || start === undefined ? [] : [dateWords(start, now, tz)];
  });
  const down = bad.length === 0 ? 'never down' : `down on ${listed(bad)}`;
  return `${name}: ${uptimeWords(uptime)} in ${days.filter((day) => day !== null).length} days, ${down}`;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
