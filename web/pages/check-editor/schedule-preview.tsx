import { type ReactNode, use } from 'react';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { ageText } from '../../../src/lib/text/ages.ts';
import { now } from '../../app/clock.ts';
import { m } from '../../messages/index.ts';
import { Glyph } from '../../ui/glyph.tsx';
import { Note } from '../../ui/note.tsx';
import { ClockTime, PersonsTimes, Until } from '../../ui/time.tsx';
import { cityOf, clockTime, shortDate, type TimeStyle } from '../../ui/times.ts';
import type { Preview, Settings } from './settings.ts';

const HOUR_MS = 3_600_000;
const DAYS = [1, 2, 3, 4, 5, 6, 0];

/** Mon 16 Nov, 07:30 */
const dayAndTime = (at: number, style: TimeStyle) =>
  `${new Intl.DateTimeFormat(style.language ?? 'en-GB', { timeZone: style.tz, weekday: 'short' }).format(at)} ${shortDate(at, style, now())}, ${clockTime(at, style)}`;

/** The meaning of the schedule: in words, as the next runs, as a week, and for the check. */
export function SchedulePreview({
  settings,
  preview,
  isOld,
  isNew,
}: {
  readonly settings: Settings;
  readonly preview: Preview | null;
  /** Whether it belongs to an earlier text. */
  readonly isOld: boolean;
  readonly isNew: boolean;
}) {
  const texts = m.checkEditor.preview;
  return (
    <aside aria-label={texts.title} className="sticky top-6 grid gap-4 max-xl:static">
      <section
        aria-busy={isOld}
        className={`grid min-h-30 content-start gap-3.5 rounded-card border border-line px-4 py-4 ${isOld ? 'opacity-60' : ''}`}
      >
        {preview === null ? null : preview.words === null ? (
          <div className="grid gap-2">
            <p className="text-20 leading-7 font-semibold text-ink-3">{texts.none}</p>
            <p className="text-13 text-ink-3">
              {texts.noneLead} {!isNew && texts.stays}
            </p>
          </div>
        ) : (
          <>
            <Words settings={settings} preview={preview} words={preview.words} />
            {preview.runs.length > 0 && <NextRuns preview={preview} settings={settings} />}
            {preview.weekFrom !== null && preview.week.length > 0 && (
              <Week from={Date.parse(preview.weekFrom)} hours={preview.week} words={preview.words} />
            )}
            {preview.year.length > 0 && <Year runs={preview.year} words={preview.words} />}
          </>
        )}
      </section>
      {preview?.effect && <EffectNote effect={preview.effect} />}
      {preview?.fit && <FitNote fit={preview.fit} />}
    </aside>
  );
}

function Words({
  settings: { kind, tz },
  preview,
  words,
}: {
  readonly settings: Settings;
  readonly preview: Preview;
  readonly words: string;
}) {
  const style = use(PersonsTimes);
  const texts = m.checkEditor.preview;
  const [first] = preview.runs;
  const about = (): string => {
    if (kind === 'simple') return texts.fromPing;
    if (tz === style.tz || first === undefined) return texts.same(cityOf(tz));
    return texts.forYou(cityOf(tz), clockTime(Date.parse(first), style), cityOf(style.tz));
  };
  return (
    <div>
      <p className="text-20 leading-7 font-semibold tracking-[-.018em]">{words}</p>
      <p className="text-13 text-ink-3">{about()}</p>
    </div>
  );
}

function NextRuns({ preview, settings }: { readonly preview: Preview; readonly settings: Settings }) {
  const style = use(PersonsTimes);
  const texts = m.checkEditor.preview;
  const local = { ...style, tz: settings.tz };
  const isElsewhere = settings.tz !== style.tz;
  const row = (at: string, mark: ReactNode, note: ReactNode = null) => (
    <li
      key={at}
      className="grid grid-cols-[18px_minmax(0,1fr)_auto_auto] items-baseline gap-x-2.5 max-md:grid-cols-[12px_minmax(0,1fr)_auto_auto] max-md:gap-x-2 border-t border-line py-1.5 first:border-t-0"
    >
      <span className="text-11 text-ink-3">{mark}</span>
      <time dateTime={at} className={isElsewhere ? '' : 'whitespace-nowrap'}>
        {dayAndTime(Date.parse(at), local)}
        {isElsewhere && <span className="text-12 text-ink-3"> {cityOf(settings.tz)}</span>}
      </time>
      <span className="font-mono text-12 whitespace-nowrap text-ink-3">
        {isElsewhere && `${clockTime(Date.parse(at), style)} ${cityOf(style.tz)}`}
      </span>
      <Until at={at} className="min-w-15.5 text-right text-12 whitespace-nowrap text-ink-3" />
      {note}
    </li>
  );
  const change = preview.clockChanges[0];
  const note = change !== undefined && (
    <span className="col-span-3 col-start-2 flex gap-1.5 text-12 text-late">
      <Glyph shape="late" className="mt-0.5 size-3" />
      {texts.clock(
        cityOf(change.zone),
        shortDate(Date.parse(change.at), { ...style, tz: change.zone }, now()),
        change.shift > 0,
      )}
    </span>
  );
  const { runs, shifted } = preview;
  return (
    <ol aria-label={texts.next}>
      {runs.map((at, place) => row(at, place + 1, at === shifted && note))}
      {shifted !== null && !runs.includes(shifted) && row(shifted, '…', note)}
    </ol>
  );
}

/** The hours of a week, in the zone of the person. */
function Week({
  from,
  hours,
  words,
}: {
  readonly from: number;
  readonly hours: readonly number[];
  readonly words: string;
}) {
  const style = use(PersonsTimes);
  const texts = m.checkEditor.preview;
  const place = new Intl.DateTimeFormat('en-GB', {
    timeZone: style.tz,
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  const filled = new Set(hours.map((hour) => place.format(from + hour * HOUR_MS)));
  const nameOf = (day: number) =>
    new Intl.DateTimeFormat(style.language ?? 'en-GB', { timeZone: 'UTC', weekday: 'short' }).format(
      Date.UTC(2024, 0, 7 + day),
    );
  const cell = (day: number, hour: number) =>
    `${new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'short' }).format(Date.UTC(2024, 0, 7 + day))}, ${String(hour).padStart(2, '0')}`;
  return (
    <div>
      <p className="mb-1.5 text-12 font-medium">{texts.week}</p>
      <div className="week" role="img" aria-label={texts.weekLabel(words)}>
        {DAYS.flatMap((day) => [
          <span key={day}>{nameOf(day)}</span>,
          ...Array.from({ length: 24 }, (_, hour) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the hour is what it is
            <i key={`${day} ${hour}`} className={filled.has(cell(day, hour)) ? 'is-on' : ''} />
          )),
        ])}
        <span />
        {['00', '06', '12', '18'].map((hour) => (
          <span key={hour} className="hour">
            {hour}
          </span>
        ))}
      </div>
    </div>
  );
}

const MONTHS = 12;
const DAYS_OF_MONTH = 31;

/** The days of a year, from this month on, in the zone of the person. */
function Year({ runs, words }: { readonly runs: readonly string[]; readonly words: string }) {
  const style = use(PersonsTimes);
  const texts = m.checkEditor.preview;
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: style.tz });
  const filled = new Set(runs.map((at) => day.format(Date.parse(at))));
  const [thisYear = 0, thisMonth = 1] = day.format(now()).split('-').map(Number);
  const name = new Intl.DateTimeFormat(style.language ?? 'en-GB', { timeZone: 'UTC', month: 'short' });
  const months = Array.from({ length: MONTHS }, (_, index) => Date.UTC(thisYear, thisMonth - 1 + index, 1));
  return (
    <div>
      <p className="mb-1.5 text-12 font-medium">{texts.year}</p>
      <div className="week year" role="img" aria-label={texts.yearLabel(words)}>
        {months.flatMap((month) => [
          <span key={month}>{name.format(month)}</span>,
          ...Array.from({ length: DAYS_OF_MONTH }, (_, index) => {
            const date = new Date(month);
            date.setUTCDate(index + 1);
            const isOfMonth = date.getUTCDate() === index + 1;
            const isOn = isOfMonth && filled.has(date.toISOString().slice(0, 10));
            return <i key={date.toISOString()} className={isOn ? 'is-on' : isOfMonth ? '' : 'none'} />;
          }),
        ])}
        <span />
        {['1', '8', '15', '22', '29'].map((date) => (
          <span key={date} className="date">
            {date}
          </span>
        ))}
      </div>
    </div>
  );
}

function EffectNote({ effect }: { readonly effect: NonNullable<Preview['effect']> }) {
  const texts = m.checkEditor.preview;
  return (
    <Note kind={effect.goesDown ? 'late' : 'plain'} shape={effect.goesDown ? 'late' : 'waiting'}>
      <b className="text-ink">{texts.changes}</b>{' '}
      {effect.goesDown ? (
        texts.goesDown
      ) : effect.due === null || effect.down === null ? (
        effect.lastPing === null ? (
          texts.nothing
        ) : (
          texts.nothingUntilPing
        )
      ) : (
        <>
          {texts.due} <ClockTime at={effect.due} /> {texts.down} <ClockTime at={effect.down} />{' '}
          {texts.otherwise}
        </>
      )}
    </Note>
  );
}

function FitNote({ fit }: { readonly fit: NonNullable<Preview['fit']> }) {
  const texts = m.checkEditor.preview;
  const least = Math.round(fit.least);
  return (
    <Note kind={fit.isWithinGrace ? 'plain' : 'late'} shape={fit.isWithinGrace ? 'up' : 'late'}>
      <b className="text-ink">{fit.isWithinGrace ? texts.fits : texts.fitsNot}</b>{' '}
      {texts.seen(
        fit.runs,
        least < 1 ? null : ageText(micros(least)),
        ageText(micros(Math.max(1, fit.most))),
      )}{' '}
      {fit.hoursOff > 0 ? texts.hoursOff(fit.hoursOff) : texts.enough(ageText(micros(fit.enough)))}
    </Note>
  );
}
