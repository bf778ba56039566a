import { createContext, use, useSyncExternalStore } from 'react';
import { seconds as micros } from '../../src/lib/instant.ts';
import { ageText } from '../../src/lib/text/ages.ts';
import { everySecond, now } from '../app/clock.ts';
import { m } from '../messages/index.ts';
import { BROWSER_STYLE, exactTime, longTime, shortTime, type TimeStyle } from './times.ts';

/** The reader's style of times. */
export const PersonsTimes = createContext<TimeStyle>(BROWSER_STYLE);

const MINUTE_MS = 60_000;
const COARSE_MS = 15_000;
/** Of days that are so far away a short time tells the date alone. */
const FAR_MS = 5 * 86_400_000;

/** The time, told anew each `stepMs`. Nothing is drawn again in between. */
export function useNow(stepMs: number): number {
  return useSyncExternalStore(everySecond, () => Math.floor(now() / stepMs) * stepMs);
}

interface TimeProps {
  /** An instant from the server. */
  readonly at: string;
  readonly className?: string;
}

function TimeElement({ at, className, words }: TimeProps & { readonly words: string }) {
  const style = use(PersonsTimes);
  return (
    <time dateTime={at} title={exactTime(Date.parse(at), style)} className={className}>
      {words}
    </time>
  );
}

/** 05:14, Sat 03:06, Thu 12 Nov 03:06 or 9 Nov, in the zone of the person. */
export function ClockTime({ hasSeconds = false, ...time }: TimeProps & { readonly hasSeconds?: boolean }) {
  const style = use(PersonsTimes);
  const today = useNow(MINUTE_MS);
  return <TimeElement {...time} words={shortTime(Date.parse(time.at), style, today, hasSeconds)} />;
}

/** The same, and Tue 1 Dec, 09:14 of a day that is further away. */
export function PlannedTime(time: TimeProps) {
  const style = use(PersonsTimes);
  const today = useNow(MINUTE_MS);
  const at = Date.parse(time.at);
  const isFar = Math.abs(at - today) > FAR_MS;
  return <TimeElement {...time} words={isFar ? longTime(at, style) : shortTime(at, style, today)} />;
}

const stepOf = (distanceMs: number) => (Math.abs(distanceMs) < MINUTE_MS ? 1_000 : COARSE_MS);

/** 4 min ago. It goes on by itself. */
export function Ago(time: TimeProps) {
  const at = Date.parse(time.at);
  const current = useNow(stepOf(now() - at));
  return <TimeElement {...time} words={m.times.ago(ageText(micros((current - at) / 1_000)))} />;
}

/** In 46 s. It goes on by itself. */
export function Until(time: TimeProps) {
  const at = Date.parse(time.at);
  const current = useNow(stepOf(at - now()));
  return <TimeElement {...time} words={m.times.until(ageText(micros((at - current) / 1_000)))} />;
}

/** The time since then: 43 min. It goes on by itself. */
export function Since(time: TimeProps) {
  const at = Date.parse(time.at);
  const current = useNow(stepOf(now() - at));
  return <TimeElement {...time} words={ageText(micros((current - at) / 1_000))} />;
}
