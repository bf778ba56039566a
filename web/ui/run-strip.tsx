import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import type { RunStripJson } from '../../src/wire/dashboard/check-board-output.ts';
import { m } from '../messages/index.ts';
import { ClockTime } from './time.tsx';
import { durationWords } from './times.ts';
import './run-strip.css';

/** Of a run with its gap, in units of the drawing. */
const STEP = 8;
const WIDTH = 6;
const HEIGHT = 24;
const CAP = 2;
/** The height of a run of unknown duration. */
const UNKNOWN = 0.55;
const LOWEST = 0.18;

const RESULTS = { o: 'ok', f: 'failed', l: 'late', m: 'missed', r: 'running' } as const;

type Letter = keyof typeof RESULTS;
type Result = (typeof RESULTS)[Letter];

const resultOf = (letter: string | undefined): Result => RESULTS[(letter ?? 'o') as Letter];

/**
 * The last runs of a check, oldest first. Heights are durations against the longest usual one. `slots` is the number of
 * places: those without a run are ticks. With `onOpen` it takes the arrow keys, and Enter opens the ping of a run.
 */
export function RunStrip({
  runs,
  slots,
  className = 'h-12',
  onOpen,
}: {
  readonly runs: RunStripJson;
  readonly slots: number;
  readonly className?: string;
  readonly onOpen?: (n: number) => void;
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const empty = slots - runs.results.length;
  const width = slots * STEP - (STEP - WIDTH);
  const heights = heightsOf(runs.durations);
  const ticks = Array.from({ length: Math.max(0, empty) }, (_, slot) => slot * STEP);
  const bars = Array.from(runs.results, (letter, index) => ({
    x: (empty + index) * STEP,
    result: resultOf(letter),
    height: (heights[index] ?? UNKNOWN) * HEIGHT,
  }));

  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const { left, width: shown } = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - left) / shown) * slots) - empty;
    setPointed(place >= 0 && place < runs.results.length ? place : null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = runs.results.length - 1;
    if (event.key === 'ArrowLeft') setPointed((at) => Math.max(0, (at ?? last + 1) - 1));
    else if (event.key === 'ArrowRight') setPointed((at) => Math.min(last, (at ?? last - 1) + 1));
    else if (event.key === 'Escape') setPointed(null);
    else if (event.key === 'Enter' && pointed !== null) {
      const n = runs.n[pointed];
      if (n != null) onOpen?.(n);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const drawing = (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={m.runs.summary(runs.results)}
    >
      {ticks.map((x) => (
        <rect key={x} className="none" x={x + 1} y={HEIGHT - 1.5} width={WIDTH - 2} height={1.5} />
      ))}
      {bars.map((bar) => (
        <Bar key={bar.x} {...bar} />
      ))}
    </svg>
  );
  const card = pointed !== null && pointed < runs.results.length && (
    <RunCard runs={runs} place={pointed} left={((empty + pointed + 0.4) / slots) * 100} />
  );
  if (onOpen === undefined) {
    return (
      <div
        className={`strip ${className}`}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setPointed(null)}
      >
        {drawing}
        {card}
      </div>
    );
  }
  return (
    <section
      className={`strip ${className}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys go through the runs
      tabIndex={0}
      aria-label={m.runs.label}
      onPointerMove={onPointerMove}
      onPointerLeave={() => setPointed(null)}
      onBlur={() => setPointed(null)}
      onKeyDown={onKeyDown}
    >
      {drawing}
      {card}
    </section>
  );
}

function Bar({
  x,
  result,
  height,
}: {
  readonly x: number;
  readonly result: Result;
  readonly height: number;
}) {
  const y = HEIGHT - height;
  switch (result) {
    case 'ok':
      return (
        <>
          <rect className="ok" x={x} y={y} width={WIDTH} height={height} rx={1} />
          <rect className="cap" x={x} y={y} width={WIDTH} height={CAP} rx={1} />
        </>
      );
    case 'failed':
      return <rect className="failed" x={x} y={0} width={WIDTH} height={HEIGHT} rx={1} />;
    case 'missed':
      return (
        <rect className="missed" x={x + 0.75} y={0.75} width={WIDTH - 1.5} height={HEIGHT - 1.5} rx={1} />
      );
    case 'late':
      return (
        <>
          <rect className="late" x={x} y={y} width={WIDTH} height={height} rx={1} />
          <rect className="late" x={x + 1.5} y={y - 5} width={3} height={3} rx={1} />
        </>
      );
    case 'running':
      return <rect className="running" x={x} y={y} width={WIDTH} height={height} rx={1} />;
    default:
      return result satisfies never;
  }
}

/** Shares of the height. The 95th percentile is high enough for all but a few. */
function heightsOf(durations: readonly (number | null)[]): number[] {
  const known = durations.filter((duration) => duration !== null).toSorted((a, b) => a - b);
  const reference = known[Math.min(known.length - 1, Math.floor(known.length * 0.95))];
  return durations.map((duration) => {
    if (duration === null || reference === undefined || reference === 0) return UNKNOWN;
    return Math.max(LOWEST, Math.min(1, (duration / reference) * 0.8));
  });
}

/** What is said of the run under the pointer. */
function RunCard({
  runs,
  place,
  left,
}: {
  readonly runs: RunStripJson;
  readonly place: number;
  readonly left: number;
}) {
  const at = runs.at[place];
  const duration = runs.durations[place];
  return (
    <div className="strip-card" role="status" style={{ left: `${left}%` }}>
      <b className="font-semibold">{m.runs.results[resultOf(runs.results[place])]}</b>
      {at !== undefined && (
        <>
          {' · '}
          <ClockTime at={at} />
        </>
      )}
      {duration != null && ` · ${durationWords(duration)}`}
    </div>
  );
}
