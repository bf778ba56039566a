import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { spanText } from '../../../src/lib/text/ages.ts';
import type { CheckRowJson } from '../../../src/views/board-json.ts';
import type { LaneJson, SpanJson } from '../../../src/views/timeline-json.ts';
import type { Destination } from '../../app/destination.ts';
import { m } from '../../messages/index.ts';
import { Glyph } from '../../ui/glyph.tsx';
import { isNoShow } from '../../ui/run-results.ts';
import { PersonsTimes } from '../../ui/time.tsx';
import { clockTime, exactTime, scheduleBeside, shortTime } from '../../ui/times.ts';
import { placeOf, type Shown } from './axis.ts';

export const nameOf = ({ name, slug, key }: CheckRowJson): string => name || slug || key.slice(0, 8);

export const pageOf = ({ uuid, key }: CheckRowJson): Destination => ({
  to: '/checks/$check/details/',
  params: { check: uuid ?? key },
});

export function StatusGlyph({ row }: { readonly row: CheckRowJson }) {
  const shape = row.running && row.status === 'up' ? 'running' : row.status;
  return <Glyph shape={shape} label={m.statuses[shape]} className="size-3.5" />;
}

/** The line of a lane. On phones the name stands above it. */
export const LANE =
  'relative grid h-8.5 grid-cols-[var(--name)_minmax(0,1fr)] items-center border-b border-line hover:bg-hover max-md:block max-md:h-12.5';

/** A check and its lane. */
export function LaneRow({
  row,
  lane,
  shown,
}: {
  readonly row: CheckRowJson;
  readonly lane: LaneJson | undefined;
  readonly shown: Shown;
}) {
  const words = scheduleBeside(row.schedule, row.tz, use(PersonsTimes));
  return (
    <li className={LANE}>
      <Link
        {...pageOf(row)}
        className="flex min-w-0 items-center gap-2 pr-3 pl-5 font-medium hover:underline max-md:h-6 max-md:after:absolute max-md:after:inset-0 max-md:px-4 max-md:pt-1 max-md:text-[12px]"
      >
        <StatusGlyph row={row} />
        <span className="min-w-0 max-w-[calc(100%-22px)] flex-none truncate">{nameOf(row)}</span>
        <span
          className="ml-auto min-w-0 flex-initial truncate text-12 font-normal text-ink-3 max-md:hidden"
          title={words}
        >
          {row.status === 'paused' || row.status === 'new' ? m.statuses[row.status] : words}
        </span>
      </Link>
      <div
        className="timeline-lane relative h-full overflow-hidden max-md:pointer-events-none max-md:h-[25px]"
        role="img"
        aria-label={lane === undefined ? m.timeline.title : summaryOf(lane)}
      >
        {lane !== undefined && <Marks lane={lane} isRunning={row.running} shown={shown} />}
      </div>
    </li>
  );
}

export const countOf = ({ runs }: LaneJson, ...results: string[]): number =>
  runs.reduce((sum, { result, count = 1 }) => (results.includes(result) ? sum + count : sum), 0);

export function summaryOf(lane: LaneJson): string {
  return m.timeline.summary(
    lane.band === null ? String(countOf(lane, 'ok', 'warned', 'late')) : m.timeline.many,
    countOf(lane, 'failed'),
    m.runs.many(countOf(lane, 'missed')),
    lane.expectedBand === null ? String(lane.expected.length) : m.timeline.many,
  );
}

function Marks({
  lane,
  isRunning,
  shown,
}: {
  readonly lane: LaneJson;
  readonly isRunning: boolean;
  readonly shown: Shown;
}) {
  const style = use(PersonsTimes);
  const place = (from: number, until: number) => ({
    left: `${(placeOf(from, shown) * 100).toFixed(3)}%`,
    width: `${((placeOf(until, shown) - placeOf(from, shown)) * 100).toFixed(3)}%`,
  });
  const between = ([from, until]: SpanJson) => place(from, until);
  const left = (at: number) => ({ left: `${(placeOf(at, shown) * 100).toFixed(3)}%` });
  const titleOf = ([from, until]: SpanJson) =>
    `${exactTime(from * 1_000, style)}${until > from ? ` · ${spanText(micros(until - from))}` : ''}`;
  const { usual } = lane;
  return (
    <>
      {lane.band !== null && <i className="many-runs" style={between(lane.band)} />}
      {lane.expectedBand !== null && <i className="many-runs coming" style={between(lane.expectedBand)} />}
      {lane.down.map((span) => (
        <i key={`down ${span[0]}`} className="down" style={between(span)} />
      ))}
      {lane.grace !== null && (
        <>
          <i className="is-grace" style={between(lane.grace)} />
          <i
            className="is-limit"
            style={left(lane.grace[1])}
            title={m.timeline.limit(clockTime(lane.grace[1] * 1_000, style), isRunning)}
          />
        </>
      )}
      {lane.runs.map(({ result, span, count = 0 }) =>
        result === 'missed' ? (
          <Missed
            key={`missed ${span[1]}`}
            span={span}
            title={`${m.runs.several(result, count)} · ${titleOf(span)}`}
            left={left}
            between={between}
          />
        ) : (
          <i
            key={`${result} ${span[0]} ${span[1]}`}
            className={`is-${result}`}
            style={between(span)}
            title={`${isNoShow(result) ? m.runs.several(result, count) : m.runs.results[result]} · ${titleOf(span)}`}
          />
        ),
      )}
      {lane.expected.map((at) => (
        <i
          key={at}
          className="is-expected"
          style={place(at, at + (usual ?? 0))}
          title={`${m.timeline.legend.expected} · ${shortTime(at * 1_000, style, at * 1_000)}`}
        />
      ))}
    </>
  );
}

/** Nothing came when it was expected, nor in the grace time after it. */
function Missed({
  span,
  title,
  left,
  between,
}: {
  readonly span: SpanJson;
  readonly title: string;
  readonly left: (at: number) => object;
  readonly between: (span: SpanJson) => object;
}) {
  return (
    <>
      <i className="is-grace" style={between(span)} />
      <i className="is-missed" style={left(span[0])} title={title} />
    </>
  );
}
