import { m } from '../../messages/index.ts';
import { runPlace } from '../../ui/run-strip.tsx';
import { numberText } from './number-text.ts';
import { slotsOf } from './page-runs.ts';
import type { ShownNumber, ShownRun } from './queries.ts';
import './numbers.css';

interface Props {
  /** Each has a value for each run, or null. */
  readonly numbers: readonly ShownNumber[];
  readonly runs: readonly ShownRun[];
}

/** The numbers that the runs reported: a line over the runs for each, its last value, and between what it was. */
export function NumberRows({ numbers, runs }: Props) {
  const words = m.check.numbers;
  return (
    <section className="mt-3.5">
      <h3 className="mb-1 text-12 font-medium text-ink-2">{words.title}</h3>
      <ul className="number-rows text-12">
        {numbers.map((number) => (
          <NumberRow key={number.name} number={number} runs={runs} />
        ))}
      </ul>
    </section>
  );
}

function NumberRow({ number, runs }: { readonly number: ShownNumber; readonly runs: readonly ShownRun[] }) {
  const { name, values } = number;
  const words = m.check.numbers;
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return null;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const since = runs.slice(values.lastIndexOf(last) + 1).filter(hasEnded).length;
  return (
    <li>
      <code className="name">{name}</code>
      <NumberLine number={number} slots={slotsOf(runs)} least={Math.min(0, least)} most={Math.max(0, most)} />
      <span className="text-right">
        <b className="text-13 font-semibold">{numberText(name, last)}</b>
        {since > 0 && <span className="text-ink-3"> {words.ago(since)}</span>}
      </span>
      <span className="text-right text-ink-3">
        {known.length > 1 &&
          (least === most ? words.steady : words.range(numberText(name, least), numberText(name, most)))}
      </span>
    </li>
  );
}

const hasEnded = ({ result, count }: ShownRun) => count === 0 && result !== 'running';

const HEIGHT = 20;
/** Room for the line at the top and at the foot. */
const MARGIN = 2;

/** From zero, as durations are, so that a backup that has become half as large is half as high. Runs without it are gaps. */
function NumberLine({
  number: { name, values },
  slots,
  least,
  most,
}: {
  readonly number: ShownNumber;
  readonly slots: number;
  readonly least: number;
  readonly most: number;
}) {
  const pointOf = (value: number, place: number) => {
    const { left, width } = runPlace(slots - values.length + place, slots);
    const share = most === least ? 0 : (value - least) / (most - least);
    return `${(left + width / 2).toFixed(2)},${(HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN)).toFixed(2)}`;
  };
  const points = values.map((value, place) => (value === null ? null : pointOf(value, place)));
  const line = points.map((point, place) =>
    point === null ? '' : `${points[place - 1] ? 'L' : 'M'}${point}`,
  );
  const alone = points.filter((point, place) => point !== null && !points[place - 1] && !points[place + 1]);
  const last = points.findLast((point) => point !== null);
  const zero = pointOf(0, 0).split(',')[1];
  return (
    <svg
      viewBox={`0 0 100 ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={m.check.numbers.chart(name, points.filter((point) => point !== null).length, values.length)}
    >
      <path className="zero" d={`M0,${zero}H100`} />
      <path d={line.join('')} />
      <path className="alone" d={alone.map((point) => `M${point}h0`).join('')} />
      <path className="last" d={`M${last}h0`} />
    </svg>
  );
}
