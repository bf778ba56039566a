import { use } from 'react';
import type { CheckPageJson, PageRunJson } from '../../../src/wire/dashboard/check-page-output.ts';
import { now } from '../../app/clock.ts';
import { m } from '../../messages/index.ts';
import { Card } from '../../ui/card.tsx';
import { RunStrip } from '../../ui/run-strip.tsx';
import { ClockTime, PersonsTimes } from '../../ui/time.tsx';
import { durationWords, shortDate, shortTime } from '../../ui/times.ts';
import './runs-card.css';

const SLOTS = 60;
const LETTERS = { ok: 'o', failed: 'f', late: 'l', missed: 'm', running: 'r' } as const;

/** The last runs: how they went, how long they took, and what that is in numbers. */
export function RunsCard({
  check,
  onOpen,
}: {
  readonly check: CheckPageJson;
  readonly onOpen: (n: number) => void;
}) {
  const { runs } = check;
  const hasDurations = runs.some(({ duration }) => duration !== null);
  const strip = {
    results: runs.map(({ result }) => LETTERS[result]).join(''),
    durations: runs.map(({ duration }) => duration),
    at: runs.map(({ at }) => at),
    n: runs.map(({ n }) => n),
  };
  return (
    <Card title={runs.length === 0 ? m.check.runs.none : m.check.runs.title(runs.length)} action={<Legend />}>
      {hasDurations && <Figures check={check} />}
      <div className="mr-[52px] mb-6">
        <RunStrip runs={strip} slots={SLOTS} className="h-8" onOpen={onOpen} />
      </div>
      {hasDurations ? (
        <Chart check={check} onOpen={onOpen} />
      ) : (
        <div className="rounded-control bg-sunken px-8 py-7 text-12 text-ink-2">
          <p className="font-medium text-ink">{m.check.runs.noDurations}</p>
          <p>{m.check.runs.noDurationsLead}</p>
        </div>
      )}
      {runs.length > 0 && <RunTable runs={runs} />}
    </Card>
  );
}

function Legend() {
  const { legend } = m.check.runs;
  return (
    <ul className="run-legend flex flex-wrap gap-x-7 gap-y-2 text-11 text-ink-3 max-md:hidden">
      {(['ok', 'failed', 'late', 'missed'] as const).map((kind) => (
        <li key={kind} className="inline-flex items-center gap-2">
          <i className={kind} aria-hidden="true" />
          {legend[kind]}
        </li>
      ))}
    </ul>
  );
}

function Figures({ check: { figures } }: { readonly check: CheckPageJson }) {
  const { median, p95, trend_per_week: trend, good, ended } = figures;
  const words = m.check.runs;
  const facts = [
    [words.median, median === null ? null : durationWords(median)],
    [words.p95, p95 === null ? null : durationWords(p95)],
    [words.good, ended === 0 ? null : words.goodOf(good, ended)],
    [words.trend, trend === null ? null : trendWords(trend)],
  ] as const;
  return (
    <dl className="mb-6 flex flex-wrap gap-x-14 gap-y-4">
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
  return m.check.runs.trendPerWeek(seconds > 0 ? '+' : '−', durationWords(Math.abs(seconds)));
}

const HEIGHT = 100;
const STEP = 10;
const WIDTH = 7;
const GRID_LINES = [0, 1, 2, 3];

function Chart({ check, onOpen }: { readonly check: CheckPageJson; readonly onOpen: (n: number) => void }) {
  const style = use(PersonsTimes);
  const { runs, figures } = check;
  const known = runs.flatMap(({ duration }) => (duration === null ? [] : [duration]));
  const top = roundTop(Math.max(...known));
  const offset = SLOTS - runs.length;
  const y = (duration: number) => HEIGHT - (duration / top) * HEIGHT;
  const words = (run: PageRunJson) =>
    [
      m.runs.results[run.result],
      shortTime(Date.parse(run.at), style, now()),
      ...(run.duration === null ? [] : [durationWords(run.duration)]),
    ].join(' · ');
  const [first] = runs;
  return (
    <>
      <div className="run-chart">
        <svg
          viewBox={`0 0 ${SLOTS * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={m.check.runs.chart(runs.length, durationWords(figures.median ?? 0))}
        >
          {GRID_LINES.map((line) => (
            <line
              key={line}
              className="grid"
              x1={0}
              x2={SLOTS * STEP}
              y1={(line / 3) * HEIGHT}
              y2={(line / 3) * HEIGHT}
            />
          ))}
          {runs.map((run, index) => (
            <Column key={`${run.at} ${run.n}`} run={run} x={(offset + index) * STEP} y={y} />
          ))}
          {figures.median !== null && (
            <line className="median" x1={0} x2={SLOTS * STEP} y1={y(figures.median)} y2={y(figures.median)} />
          )}
        </svg>
        {GRID_LINES.map((line) => (
          <span key={line} className="label" style={{ top: `${(line / 3) * 100}%` }}>
            {line === 3 ? '0' : durationWords((top * (3 - line)) / 3)}
          </span>
        ))}
        {runs.map(
          (run, index) =>
            run.n !== null && (
              <button
                key={`${run.at} ${run.n}`}
                type="button"
                tabIndex={-1}
                aria-hidden="true"
                title={words(run)}
                className="run-hit"
                style={{ left: `${((offset + index) / SLOTS) * 100}%`, width: `${100 / SLOTS}%` }}
                onClick={() => onOpen(run.n ?? 0)}
              />
            ),
        )}
      </div>
      <div className="mt-2 mr-[52px] flex justify-between text-11 text-ink-3">
        <span style={{ marginLeft: `${(offset / SLOTS) * 100}%` }}>
          {first && shortDate(Date.parse(first.at), style, now())}
        </span>
        <span>{m.check.runs.today}</span>
      </div>
    </>
  );
}

function Column({
  run: { result, duration },
  x,
  y,
}: {
  readonly run: PageRunJson;
  readonly x: number;
  readonly y: (duration: number) => number;
}) {
  if (result === 'missed')
    return <rect className="missed" x={x + 0.5} y={1} width={WIDTH - 1} height={HEIGHT - 2} />;
  const from = duration === null ? HEIGHT - 3 : y(duration);
  return (
    <>
      {result === 'failed' && <rect className="ground" x={x} y={0} width={WIDTH} height={HEIGHT} />}
      <rect className={result} x={x} y={from} width={WIDTH} height={HEIGHT - from} />
      {result === 'ok' && <rect className="cap" x={x} y={from} width={WIDTH} height={1.4} />}
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

function RunTable({ runs }: { readonly runs: readonly PageRunJson[] }) {
  const words = m.check.runs;
  return (
    <details className="mt-5 text-12">
      <summary className="cursor-pointer text-ink-3">{words.asTable}</summary>
      {/* What scrolls must be reached by the keyboard, and has a name. */}
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        aria-label={words.table}
        className="mt-4 max-h-120 overflow-auto"
      >
        <table className="w-full text-left">
          <caption className="sr-only">{words.title(runs.length)}</caption>
          <thead className="text-ink-3">
            <tr>
              <th className="py-2 font-medium">{words.time}</th>
              <th className="font-medium">{words.result}</th>
              <th className="font-medium">{words.duration}</th>
            </tr>
          </thead>
          <tbody>
            {runs.toReversed().map((run) => (
              <tr key={`${run.at} ${run.n}`} className="border-t border-line">
                <td className="py-2">
                  <ClockTime at={run.at} hasSeconds />
                </td>
                <td>{m.runs.results[run.result]}</td>
                <td>{run.duration === null ? m.check.uptime.none : durationWords(run.duration)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
