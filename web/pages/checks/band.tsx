import { Link } from '@tanstack/react-router';
import { use } from 'react';
import type { BoardHeadJson, LaneJson } from '../../../src/views/board-json.ts';
import { m } from '../../messages/index.ts';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { PersonsTimes, useNow } from '../../ui/time.tsx';
import { clockTime, shortTime, type TimeStyle } from '../../ui/times.ts';
import { AHEAD_LABELS, PAST_LABELS, type Tick, ticksOf } from './axis-ticks.ts';
import { type Place, placeOn, spansOf } from './band-place.ts';
import { Legend } from './legend.tsx';

const HOUR = 3_600_000;
const PAST = 12 * HOUR;
const AHEAD = 4 * HOUR;
const MINUTE_MS = 60_000;
/** The highest bar, in pixels. */
const BAR_HEIGHT = 26;
const LOWEST_BAR = 6;

/** The last twelve hours and the next four on one axis: troubles, past runs and coming runs. */
export function Band({ head }: { readonly head: BoardHeadJson | undefined }) {
  const style = use(PersonsTimes);
  const current = useNow(MINUTE_MS);
  if (head === undefined) return <div className="band" aria-hidden="true" />;
  return (
    <div className="band">
      <div className="band-future" />
      <Zone className="zone-past" what={m.checks.band.ran} hours={m.checks.band.last} />
      <Zone className="zone-future" what={m.checks.band.comes} hours={m.checks.band.next} />
      <Legend />
      {head.lanes.map((lane) => (
        <Lane key={lane.key ?? lane.since} lane={lane} now={current} style={style} />
      ))}
      {head.more > 0 && (
        <Link
          to="./"
          search={{ status: 'down acknowledged late never_came slow' }}
          className="lanes-more touch"
        >
          {m.checks.band.more(head.more)}
        </Link>
      )}
      <Pulse head={head} now={current} />
      <Axis now={current} style={style} />
      <div className="nowline">
        <span className="nowflag">
          {m.checks.band.now} {clockTime(current, style)}
        </span>
      </div>
    </div>
  );
}

/** Names a side of the now line and its hours: an hour is not as wide on both. */
function Zone({
  className,
  what,
  hours,
}: {
  readonly className: string;
  readonly what: string;
  readonly hours: string;
}) {
  return (
    <span className={`zone ${className}`}>
      <span className="zone__what">{what}, </span>
      {hours}
    </span>
  );
}

const LANES: Readonly<Record<LaneJson['status'], { readonly shape: Shape; readonly className: string }>> = {
  down: { shape: 'down', className: '' },
  held: { shape: 'held', className: 'lane-taken' },
  acknowledged: { shape: 'acknowledged', className: 'lane-taken' },
  late: { shape: 'late', className: 'lane-late' },
  never_came: { shape: 'never_came', className: 'lane-late' },
  slow: { shape: 'running', className: 'lane-run' },
};

function Lane({
  lane,
  now,
  style,
}: {
  readonly lane: LaneJson;
  readonly now: number;
  readonly style: TimeStyle;
}) {
  const { shape, className } = LANES[lane.status];
  const since = Date.parse(lane.since);
  const lasted = Math.min(PAST, Math.max(0, now - since));
  const width = `${((lasted / PAST) * 100).toFixed(2)}%`;
  // A span that began long ago leaves no room for its name before it. The name then stands above it.
  const isAbove = lasted / PAST > 0.82;
  const beganBefore = lasted === PAST;
  const name = lane.key === null ? m.checks.band.many(lane.count, lane.tag) : lane.name || m.checks.unnamed;
  return (
    <div className={`lane ${className}${isAbove ? ' lane-long' : ''}`}>
      <div className="past">
        <span className="lane-name" style={isAbove ? undefined : { right: width }}>
          {lane.key === null ? (
            <Link
              to="./"
              search={{ since: lane.since, ...(lane.tag !== null && { tag: lane.tag }) }}
              className="touch"
            >
              {name}
            </Link>
          ) : (
            <Link to="/checks/$check/details/" params={{ check: lane.key }}>
              {name}
            </Link>
          )}
          {beganBefore && (
            <span className="lane-began"> {m.checks.band.since(shortTime(since, style, now))}</span>
          )}
        </span>
        <i className={beganBefore ? 'span span-before' : 'span'} style={{ width }}>
          <Glyph shape={shape} className="size-3.5" />
        </i>
      </div>
      <div className="band__future">
        <LaneNext lane={lane} now={now} style={style} />
      </div>
    </div>
  );
}

function LaneNext({
  lane: { next, status },
  now,
  style,
}: {
  readonly lane: LaneJson;
  readonly now: number;
  readonly style: TimeStyle;
}) {
  if (next === null) return null;
  const { band } = m.checks;
  // Its time has passed. What comes is not known before it pings.
  if (next.kind === 'overdue') return <span className="lane-next">{band.untilPing}</span>;
  const at = Date.parse(next.at);
  const time = <span className="whitespace-nowrap">{shortTime(at, style, now)}</span>;
  const share = (at - now) / AHEAD;
  const isSlow = status === 'slow';
  const what = isSlow ? band.limit : band.goesDown;
  if (next.kind !== 'goes_down' || share > 1 || share < 0) {
    return (
      <span className="lane-next">
        {next.kind === 'due' ? m.checks.row.nextRun : what} {time}
      </span>
    );
  }
  const left = `${(share * 100).toFixed(2)}%`;
  return (
    <>
      <i className="lane-fuse" style={{ width: left }}>
        <i />
      </i>
      <span className={share > 0.6 ? 'lane-next lane-next-before' : 'lane-next'} style={{ left }}>
        {time} {what}
      </span>
    </>
  );
}

const barStyle = ({ left, width }: Place, height: number) => ({
  ...{ left, height },
  width: `calc(${width} - var(--bar-gap))`,
});

function Pulse({ head: { pulse, outages }, now }: { readonly head: BoardHeadJson; readonly now: number }) {
  const { ran, failed, missed, expected } = pulse;
  const most = Math.max(1, ...ran, ...expected);
  const height = (count: number) =>
    count === 0 ? 0 : LOWEST_BAR + (count / most) * (BAR_HEIGHT - LOWEST_BAR);
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  const label = `${m.checks.band.label}: ${m.checks.band.bar(Math.max(...ran), total(failed), total(missed))}`;
  const past = { from: now - PAST, until: now };
  const ahead = { from: now, until: now + AHEAD };
  return (
    <div className="pulse" role="img" aria-label={label}>
      <div className="past">
        {spansOf(pulse, 0, ran.length).map((span, index) => {
          const [count, bad, gone] = [ran[index] ?? 0, failed[index] ?? 0, missed[index] ?? 0];
          const place = count + bad + gone === 0 ? null : placeOn(past, span);
          return (
            place && (
              <i
                key={span.from}
                className={count === 0 ? 'none' : undefined}
                data-bad={bad > 0 || undefined}
                data-miss={(gone > 0 && bad === 0) || undefined}
                title={m.checks.band.bar(count, bad, gone)}
                style={barStyle(place, height(count))}
              />
            )
          );
        })}
        {outages.map(({ from, until }) => {
          const place = placeOn(past, { from: Date.parse(from), until: Date.parse(until) });
          return place && <b key={from} className="pulse__outage" style={place} />;
        })}
      </div>
      <div className="band__future">
        {spansOf(pulse, ran.length - 1, expected.length).map((span, index) => {
          const count = expected[index] ?? 0;
          const place = count === 0 ? null : placeOn(ahead, span);
          return (
            place && (
              <i
                key={span.from}
                title={m.checks.band.expected(count)}
                style={barStyle(place, height(count))}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

function Axis({ now, style }: { readonly now: number; readonly style: TimeStyle }) {
  return (
    <div className="axis" aria-hidden="true">
      <div className="past">
        {ticksOf({ from: now - PAST, until: now }, style, PAST_LABELS).map((tick) => (
          <TickMark key={tick.at} tick={tick} />
        ))}
      </div>
      <div className="band__future">
        {ticksOf({ from: now, until: now + AHEAD }, style, AHEAD_LABELS).map((tick) => (
          <TickMark key={tick.at} tick={tick} />
        ))}
      </div>
    </div>
  );
}

function TickMark({ tick: { left, label, isMinor } }: { readonly tick: Tick }) {
  return (
    <span className="axis__tick" style={{ left }}>
      {label !== '' && <span className={isMinor ? 'axis__label minor' : 'axis__label'}>{label}</span>}
    </span>
  );
}
