import { use } from 'react';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { spanText } from '../../../src/lib/text/ages.ts';
import { now } from '../../app/clock.ts';
import { m } from '../../messages/index.ts';
import { Card } from '../../ui/card.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import { RunPointer } from '../../ui/run-pointer.tsx';
import { isNoShow } from '../../ui/run-results.ts';
import { RunStrip, runPlace } from '../../ui/run-strip.tsx';
import { Ago, ClockTime, PersonsTimes } from '../../ui/time.tsx';
import { shortDate } from '../../ui/times.ts';
import { numberText } from './number-text.ts';
import { NumberRows } from './numbers.tsx';
import { countOf, slotsOf, stripOf } from './page-runs.ts';
import type { ShownCheck, ShownNumber, ShownRun } from './queries.ts';
import './runs-card.css';

/** The last runs: their results, their durations, and figures. */
export function RunsCard({
  check,
  onOpen,
}: {
  readonly check: ShownCheck;
  readonly onOpen: (n: number) => void;
}) {
  const { runs, numbers, numbersAway, earlier, lastSuccess } = check;
  const hasDurations = runs.some(({ duration }) => duration !== null);
  const strip = stripOf(runs);
  const slots = slotsOf(runs);
  return (
    <Card
      title={runs.length === 0 ? m.check.runs.none : m.check.runs.title(countOf(runs))}
      action={<Legend runs={runs} />}
    >
      {lastSuccess !== null && (
        <p className="mb-3 text-12 text-ink-2">
          {m.check.runs.lastSuccess} <Ago at={lastSuccess} />
        </p>
      )}
      {hasDurations && <Figures check={check} />}
      <RunPointer runs={strip} slots={slots} onOpen={onOpen} className="mr-[52px]">
        <RunStrip runs={strip} slots={slots} className="mb-3 h-4" />
        {hasDurations && <Chart check={check} />}
      </RunPointer>
      {hasDurations ? (
        <Span runs={runs} />
      ) : (
        <div className="rounded-control bg-sunken px-4 py-3.5 text-12 text-ink-2">
          <p className="font-medium text-ink">{m.check.runs.noDurations}</p>
          <p>{m.check.runs.noDurationsLead}</p>
        </div>
      )}
      {numbers.length > 0 && <NumberRows numbers={numbers} runs={runs} />}
      {numbersAway > 0 && <p className="mt-2 text-12 text-ink-3">{m.check.numbers.away(numbersAway)}</p>}
      {earlier.length > 0 && <EarlierRuns runs={earlier} onOpen={onOpen} />}
      {runs.length > 0 && <RunTable runs={runs} numbers={numbers} />}
    </Card>
  );
}

/** What is rare has an entry where it is seen. */
function legendOf(runs: readonly ShownRun[]) {
  const rare = (['warned', 'skipped', 'unknown'] as const).filter((kind) =>
    runs.some(({ result }) => result === kind),
  );
  return ['ok', 'failed', 'late', 'missed', ...rare] as const;
}

function Legend({ runs }: { readonly runs: readonly ShownRun[] }) {
  const { legend } = m.check.runs;
  return (
    <ul className="run-legend flex flex-wrap gap-x-3.5 gap-y-1 text-11 text-ink-3 max-md:hidden">
      {legendOf(runs).map((kind) => (
        <li key={kind} className="inline-flex items-center gap-1">
          <i className={`is-${kind}`} aria-hidden="true" />
          {legend[kind]}
        </li>
      ))}
    </ul>
  );
}

function Figures({ check: { figures } }: { readonly check: ShownCheck }) {
  const { median, p95, trendPerWeek: trend, good, ended } = figures;
  const words = m.check.runs;
  const facts = [
    [words.median, median === null ? null : spanText(micros(median))],
    [words.p95, p95 === null ? null : spanText(micros(p95))],
    [words.good, ended === 0 ? null : words.goodOf(good, ended)],
    [words.trend, trend === null ? null : trendWords(trend)],
  ] as const;
  return (
    <dl className="mb-3 flex flex-wrap gap-x-7 gap-y-2 max-md:grid max-md:grid-cols-2">
      {facts.map(
        ([label, value]) =>
          value !== null && (
            <div key={label}>
              <dt className="text-12 text-ink-3">{label}</dt>
              <dd className="text-16 font-semibold tracking-[-.01em]">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function trendWords(seconds: number): string {
  if (Math.abs(seconds) < 1) return m.check.runs.steady;
  return m.check.runs.trendPerWeek(seconds > 0 ? '+' : '−', spanText(micros(Math.abs(seconds))));
}

const HEIGHT = 100;
const GRID_LINES = [0, 1, 2, 3];
/** The height of a stroke of what nobody watched, and where the strokes are. */
const HATCH = 10;
const HATCHES = Array.from({ length: HEIGHT / HATCH }, (_, place) => place * HATCH);

/** Columns stand below the runs of the strip. */
function Chart({ check }: { readonly check: ShownCheck }) {
  const { runs, figures } = check;
  const known = runs.flatMap(({ duration }) => (duration === null ? [] : [duration]));
  const top = roundTop(Math.max(...known));
  const slots = slotsOf(runs);
  const offset = slots - runs.length;
  const y = (duration: number) => HEIGHT - (duration / top) * HEIGHT;
  return (
    <div className="run-chart">
      <svg
        viewBox={`0 0 100 ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={m.check.runs.chart(runs.length, spanText(micros(figures.median ?? 0)))}
      >
        {GRID_LINES.map((line) => (
          <line
            key={line}
            className="grid"
            x1={0}
            x2={100}
            y1={(line / 3) * HEIGHT}
            y2={(line / 3) * HEIGHT}
          />
        ))}
        {runs.map((run, index) => (
          <Column key={`${run.at} ${run.n}`} run={run} slot={offset + index} slots={slots} y={y} />
        ))}
        {figures.median !== null && (
          <line className="median" x1={0} x2={100} y1={y(figures.median)} y2={y(figures.median)} />
        )}
      </svg>
      {GRID_LINES.map((line) => (
        <span key={line} className="label" style={{ top: `${(line / 3) * 100}%` }}>
          {line === 3 ? '0' : spanText(micros((top * (3 - line)) / 3))}
        </span>
      ))}
    </div>
  );
}

/** From when the runs are. */
function Span({ runs }: { readonly runs: readonly ShownRun[] }) {
  const style = use(PersonsTimes);
  const [first] = runs;
  const slots = slotsOf(runs);
  return (
    <div className="mt-1 mr-[52px] flex justify-between text-11 text-ink-3">
      <span style={{ marginLeft: `${((slots - runs.length) / slots) * 100}%` }}>
        {first && shortDate(Date.parse(first.at), style, now())}
      </span>
      <span>{m.check.runs.today}</span>
    </div>
  );
}

function Column({
  run: { result, duration },
  slot,
  slots,
  y,
}: {
  readonly run: ShownRun;
  readonly slot: number;
  readonly slots: number;
  readonly y: (duration: number) => number;
}) {
  const { left: x, width } = runPlace(slot, slots);
  if (result === 'missed') {
    const gap = width / 12;
    return <rect className="is-missed" x={x + gap} y={1} width={width - 2 * gap} height={HEIGHT - 2} />;
  }
  if (result === 'skipped')
    return (
      <rect className="is-skipped" x={x + width / 6} y={HEIGHT - 4} width={(width * 2) / 3} height={4} />
    );
  if (result === 'unknown')
    return HATCHES.map((y) => (
      <path key={y} className="is-unknown" d={`M${x} ${y + HATCH}L${x + width} ${y}`} />
    ));
  const from = duration === null ? HEIGHT - 3 : y(duration);
  return (
    <>
      {result === 'failed' && <rect className="ground" x={x} y={0} width={width} height={HEIGHT} />}
      <rect className={`is-${result}`} x={x} y={from} width={width} height={HEIGHT - from} />
      {result === 'warned' && (
        <rect className="is-warned" x={x + width / 4} y={from - 5} width={width / 2} height={3} />
      )}
      {result === 'ok' && <rect className="bar-cap" x={x} y={from} width={width} height={1.4} />}
    </>
  );
}

/** The top of the axis: a number of seconds, minutes or hours that can be divided by three. */
function roundTop(longest: number): number {
  const unit = longest < 60 ? 1 : longest < 3_600 ? 60 : 3_600;
  const inUnits = longest / unit;
  const step = inUnits <= 3 ? (unit === 1 && inUnits <= 0.3 ? 0.1 : 1) : inUnits <= 12 ? 3 : 6;
  return (
    Math.max(step, Math.ceil(inUnits / step / (step === 1 ? 3 : 1)) * step * (step === 1 ? 3 : 1)) * unit
  );
}

/** Failures and warnings from before the runs of the strip. */
function EarlierRuns({
  runs,
  onOpen,
}: {
  readonly runs: ShownCheck['earlier'];
  readonly onOpen: (n: number) => void;
}) {
  const words = m.check.runs;
  return (
    <section className="mt-3.5 text-12">
      <h3 className="mb-1 font-medium text-ink-2">{words.earlier}</h3>
      <ul>
        {runs.map(({ n, at, result, exitStatus, isKept, line }) => {
          const name =
            exitStatus === null ? m.runs.results[result] : words.withExit(m.runs.results[result], exitStatus);
          return (
            <li key={n} className="flex min-h-8 flex-wrap items-center gap-x-2.5 border-t border-line py-1">
              <Glyph shape={result === 'failed' ? 'down' : 'late'} className="size-3.5 shrink-0" />
              {isKept || n === null ? (
                <span className="shrink-0 font-medium">{name}</span>
              ) : (
                <button
                  type="button"
                  className="touch shrink-0 font-medium hover:underline"
                  aria-label={`${name}. ${m.check.events.open(n)}`}
                  onClick={() => onOpen(n)}
                >
                  {name}
                </button>
              )}
              <span className="shrink-0 text-ink-3">
                <ClockTime at={at} />
              </span>
              {line !== null && (
                <code className="min-w-0 flex-1 truncate text-ink-3 max-md:basis-full max-md:pl-6">
                  {line}
                </code>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function RunTable({
  runs,
  numbers,
}: {
  readonly runs: readonly ShownRun[];
  readonly numbers: readonly ShownNumber[];
}) {
  const words = m.check.runs;
  const { none } = m.check.uptime;
  return (
    <details className="mt-2.5 text-12">
      <summary className="cursor-pointer text-ink-3">{words.asTable}</summary>
      {/* What scrolls must be reached by the keyboard, and has a name. */}
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        aria-label={words.table}
        className="mt-2 max-h-60 overflow-auto"
      >
        <table className="run-table w-full text-left">
          <caption className="sr-only">{words.title(countOf(runs))}</caption>
          <thead className="text-ink-3">
            <tr>
              <th className="py-1 font-medium">{words.time}</th>
              <th className="font-medium">{words.result}</th>
              <th className="font-medium">{words.duration}</th>
              {numbers.map(({ name }) => (
                <th key={name} className="text-right font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...runs.entries()].toReversed().map(([place, run]) => (
              <tr key={`${run.at} ${run.n}`} className="border-t border-line">
                <td className="py-1">
                  <ClockTime at={run.at} hasSeconds />
                </td>
                <td>
                  {isNoShow(run.result) ? m.runs.several(run.result, run.count) : m.runs.results[run.result]}
                </td>
                <td>{run.duration === null ? none : spanText(micros(run.duration))}</td>
                {numbers.map(({ name, values }) => (
                  <td key={name} className="text-right">
                    {values[place] == null ? none : numberText(name, values[place])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
