import { seconds as micros } from '../../src/lib/instant.ts';
import { spanText } from '../../src/lib/text/ages.ts';
import { m } from '../messages/index.ts';
import './sparkline.css';

const WIDTH = 100;
const HEIGHT = 20;
/** Room for the line at the top and at the foot. */
const MARGIN = 2;

/**
 * The durations of the last runs, oldest first: a line, the median as a dashed line, and a wash up to the 95th
 * percentile. The last duration stands beside it. Nothing is drawn for fewer than two durations.
 */
export function Sparkline({
  durations,
  median,
  p95,
}: {
  /** In seconds. Null: not known. */
  readonly durations: readonly (number | null)[];
  readonly median: number | null;
  readonly p95: number | null;
}) {
  const known = durations.filter((duration) => duration !== null);
  const last = known.at(-1);
  if (last === undefined || median === null || p95 === null) return null;
  const top = Math.max(...known, p95);
  const yOf = (seconds: number) =>
    HEIGHT - MARGIN - (top === 0 ? 0 : (seconds / top) * (HEIGHT - 2 * MARGIN));
  const xOf = (place: number) => (known.length === 1 ? WIDTH : (place / (known.length - 1)) * WIDTH);
  return (
    <span className="spark">
      {known.length > 1 && (
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={m.runs.durations(spanText(micros(median)), spanText(micros(p95)))}
        >
          <rect className="wash" x={0} y={yOf(p95)} width={WIDTH} height={HEIGHT - yOf(p95)} />
          <line className="median" x1={0} x2={WIDTH} y1={yOf(median)} y2={yOf(median)} />
          <polyline
            points={known
              .map((seconds, place) => `${xOf(place).toFixed(1)},${yOf(seconds).toFixed(1)}`)
              .join(' ')}
          />
        </svg>
      )}
      <span className="last">{spanText(micros(last))}</span>
    </span>
  );
}
