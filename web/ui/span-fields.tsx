import { now } from '../app/clock.ts';
import { m } from '../messages/index.ts';
import { Select } from './select.tsx';
import { instantOf, type TimeStyle } from './times.ts';

const DAY_SECONDS = 86_400;
const DAYS = ['', '1', '7', '30'] as const;

/** The last days, or all of them. */
export type Days = (typeof DAYS)[number];

/** A span of a log, as a person chooses it. Both may be empty. */
export interface ChosenSpan {
  readonly days: Days;
  /** The value of the field, in the zone of the person. */
  readonly until: string;
}

export const daysOf = (text: unknown): Days => DAYS.find((days) => days === text) ?? '';

/** The span in UNIX times. Days are counted back from `until`, or from this hour. */
export function chosenSeconds(
  { days, until }: ChosenSpan,
  style: TimeStyle,
): { readonly start?: number; readonly end?: number } {
  const untilMs = instantOf(until, style);
  const end = untilMs === null ? null : Math.floor(untilMs / 1_000);
  const from = end ?? Math.floor(now() / 3_600_000) * 3_600;
  return {
    ...(days !== '' && { start: from - Number(days) * DAY_SECONDS }),
    ...(end !== null && { end }),
  };
}

/** From when to when. */
export function SpanFields({
  span,
  change,
}: {
  readonly span: ChosenSpan;
  readonly change: (change: Partial<ChosenSpan>) => void;
}) {
  const words = m.check.log;
  return (
    <>
      <Select
        label={words.range}
        isLabelHidden
        value={span.days}
        onChange={(event) => change({ days: daysOf(event.target.value) })}
        options={DAYS.map((days) => [days, words.ranges[days]])}
      />
      <label className="inline-flex items-center gap-2 text-12 text-ink-3 max-md:w-full">
        {words.until}
        <input
          type="datetime-local"
          aria-label={words.untilLabel}
          value={span.until}
          onChange={(event) => change({ until: event.target.value })}
          className="h-8.5 rounded-control border border-control bg-surface px-2.5 text-13 text-ink max-md:h-11 max-md:min-w-0 max-md:flex-1 max-md:text-16"
        />
      </label>
    </>
  );
}
