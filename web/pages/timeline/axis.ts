import { clockTime, type TimeStyle } from '../../ui/times.ts';

const HOUR = 3_600;
/** The now line stands at two thirds. */
export const NOW_PART = 2 / 3;

export const SPANS = { '6h': 6 * HOUR, '12h': 12 * HOUR, '24h': 24 * HOUR, '7d': 7 * 24 * HOUR } as const;

export type SpanName = keyof typeof SPANS;

export const SPAN_NAMES = Object.keys(SPANS) as SpanName[];

/** Hours between two marks of the axis, and between two marks on phones. */
const STEPS: Readonly<Record<SpanName, readonly [number, number]>> = {
  '6h': [1, 2],
  '12h': [1, 3],
  '24h': [2, 6],
  '7d': [24, 48],
};

/** The time that is shown, in UNIX seconds. */
export interface Shown {
  readonly from: number;
  readonly until: number;
}

/** The window whose now line stands at this time. It begins with a whole minute, so that it can be asked for again. */
export function shownAround(at: number, span: SpanName): Shown {
  const length = SPANS[span];
  const from = Math.floor((at - length * NOW_PART) / 60) * 60;
  return { from, until: from + length };
}

/** The place of a time on the axis, as part of its width. */
export const placeOf = (at: number, { from, until }: Shown): number => (at - from) / (until - from);

export interface Tick {
  readonly at: number;
  readonly label: string;
  /** Left out on phones. */
  readonly isMinor: boolean;
}

/** Full hours of the reader's clock, at midnight the day. */
export function ticksOf(shown: Shown, span: SpanName, style: TimeStyle): Tick[] {
  const [step, phoneStep] = STEPS[span];
  const day = new Intl.DateTimeFormat(style.language ?? 'en-GB', {
    timeZone: style.tz,
    weekday: 'short',
    day: 'numeric',
  });
  const local = new Intl.DateTimeFormat('en-GB', {
    timeZone: style.tz,
    hour: 'numeric',
    hourCycle: 'h23',
    day: 'numeric',
  });
  const ticks: Tick[] = [];
  for (let at = Math.ceil(shown.from / HOUR) * HOUR; at < shown.until; at += HOUR) {
    const parts = local.formatToParts(at * 1_000);
    const numberOf = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    const hour = numberOf('hour');
    if (hour % Math.min(step, 24) !== 0 || (step >= 24 && hour !== 0)) continue;
    const isMinor = phoneStep > 24 ? numberOf('day') % 2 === 1 : hour % phoneStep !== 0;
    const label = hour === 0 ? day.format(at * 1_000) : clockTime(at * 1_000, style);
    ticks.push({ at, label, isMinor });
  }
  return ticks;
}
