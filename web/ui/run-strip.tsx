import type { RunStripJson } from '../../src/views/board-json.ts';
import { m } from '../messages/index.ts';
import { type Result, resultOf } from './run-results.ts';
import './run-strip.css';

/** A run with its gap, in units of the drawing. */
const STEP = 8;
const WIDTH = 6;
const HEIGHT = 24;
const CAP = 2;
/** The height of a run of unknown duration. */
const UNKNOWN = 0.55;
const LOWEST = 0.18;

const widthOf = (slots: number) => slots * STEP - (STEP - WIDTH);

/** The place of the run in a slot, in percent of the width of the drawing. */
export function runPlace(slot: number, slots: number): { left: number; width: number } {
  return { left: ((slot * STEP) / widthOf(slots)) * 100, width: (WIDTH / widthOf(slots)) * 100 };
}

/**
 * The last runs of a check, oldest first. Heights are durations against the longest usual one. `slots` is the number of
 * places: those without a run are ticks.
 */
export function RunStrip({
  runs,
  slots,
  className = 'h-6',
}: {
  readonly runs: RunStripJson;
  readonly slots: number;
  readonly className?: string;
}) {
  const empty = slots - runs.results.length;
  const heights = heightsOf(runs.durations);
  const ticks = Array.from({ length: Math.max(0, empty) }, (_, slot) => slot * STEP);
  const bars = Array.from(runs.results, (letter, index) => ({
    x: (empty + index) * STEP,
    result: resultOf(letter),
    height: (heights[index] ?? UNKNOWN) * HEIGHT,
  }));
  return (
    <div className={`strip ${className}`}>
      <svg
        viewBox={`0 0 ${widthOf(slots)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={m.runs.summary(runs.results, runs.counts)}
      >
        {ticks.map((x) => (
          <rect key={x} className="none" x={x + 1} y={HEIGHT - 1.5} width={WIDTH - 2} height={1.5} />
        ))}
        {bars.map((bar) => (
          <Bar key={bar.x} {...bar} />
        ))}
      </svg>
    </div>
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
          <rect className="is-ok" x={x} y={y} width={WIDTH} height={height} rx={1} />
          <rect className="bar-cap" x={x} y={y} width={WIDTH} height={CAP} rx={1} />
        </>
      );
    case 'failed':
      return <rect className="is-failed" x={x} y={0} width={WIDTH} height={HEIGHT} rx={1} />;
    case 'missed':
      return (
        <rect className="is-missed" x={x + 0.75} y={0.75} width={WIDTH - 1.5} height={HEIGHT - 1.5} rx={1} />
      );
    case 'skipped':
      return <rect className="none" x={x + 1} y={HEIGHT - 5} width={WIDTH - 2} height={5} />;
    case 'unknown':
      return <Hatched x={x} />;
    case 'warned':
    case 'late':
      return (
        <>
          <rect className="is-late" x={x} y={y} width={WIDTH} height={height} rx={1} />
          <rect className="is-late" x={x + 1.5} y={y - 5} width={3} height={3} rx={1} />
        </>
      );
    case 'running':
      return <rect className="is-running" x={x} y={y} width={WIDTH} height={height} rx={1} />;
    default:
      return result satisfies never;
  }
}

/** Nobody knows what became of it. */
function Hatched({ x }: { readonly x: number }) {
  return (
    <>
      {[0, 6, 12, 18].map((y) => (
        <path key={y} className="is-unknown" d={`M${x} ${y + 6}L${x + WIDTH} ${y}`} />
      ))}
    </>
  );
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
