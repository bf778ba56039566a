import { use } from 'react';
import { m } from '../messages/index.ts';
import { PersonsTimes, useNow } from './time.tsx';
import { dayOf, shortDate } from './times.ts';

const DAY_MS = 86_400_000;

/** The head of a day's entries: Today Mon 16 Nov, or Sat 14 Nov. */
export function DayName({ at }: { readonly at: string }) {
  const style = use(PersonsTimes);
  const now = useNow(60_000);
  const time = Date.parse(at);
  const date = `${new Intl.DateTimeFormat(style.language ?? 'en-GB', { weekday: 'short', timeZone: style.tz }).format(time)} ${shortDate(time, style, now)}`;
  const { today, yesterday } = m.times;
  const day = dayOf(time, style);
  const word = day === dayOf(now, style) ? today : day === dayOf(now - DAY_MS, style) ? yesterday : null;
  return (
    <>
      {word ?? date}
      {word !== null && <span className="font-normal text-ink-3">{date}</span>}
    </>
  );
}
