import { useId, useState } from 'react';
import { m } from '../../messages/index.ts';
import { ErrorText } from '../../ui/error-text.tsx';
import { SelectBox } from '../../ui/select.tsx';

const UNITS = { minutes: 60, hours: 3_600, days: 86_400 } as const;
type Unit = keyof typeof UNITS;

export const LEAST_SECONDS = 60;
export const MOST_SECONDS = 365 * 86_400;

/** The share of the slider, and the seconds at its marks. Between two marks it goes on in steps. */
const SCALE = [
  { share: 0, seconds: 60, step: 60 },
  { share: 300, seconds: 3_600, step: 3_600 },
  { share: 600, seconds: 86_400, step: 86_400 },
  { share: 750, seconds: 7 * 86_400, step: 86_400 },
  { share: 900, seconds: 30 * 86_400, step: 30 * 86_400 },
  { share: 1_000, seconds: MOST_SECONDS, step: MOST_SECONDS },
] as const;

const unitOf = (seconds: number): Unit =>
  seconds % UNITS.days === 0 ? 'days' : seconds % UNITS.hours === 0 ? 'hours' : 'minutes';

function toShare(seconds: number): number {
  const next = SCALE.findIndex((mark) => mark.seconds >= seconds);
  const [from, to] = [SCALE[Math.max(0, next - 1)] ?? SCALE[0], SCALE[next] ?? SCALE[5]];
  if (from === to || next <= 0) return to.share;
  return from.share + ((seconds - from.seconds) / (to.seconds - from.seconds)) * (to.share - from.share);
}

function toSeconds(share: number): number {
  const next = SCALE.findIndex((mark) => mark.share >= share);
  const [from, to] = [SCALE[Math.max(0, next - 1)] ?? SCALE[0], SCALE[next] ?? SCALE[5]];
  if (from === to) return to.seconds;
  const exact = from.seconds + ((share - from.share) / (to.share - from.share)) * (to.seconds - from.seconds);
  return Math.min(to.seconds, Math.max(LEAST_SECONDS, Math.round(exact / from.step) * from.step));
}

export const isInRange = (seconds: number) => seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS;

/** A span of time: a number with its unit, and a slider. */
export function DurationField({
  label,
  seconds,
  hint,
  onChange,
}: {
  readonly label: string;
  readonly seconds: number;
  readonly hint?: string;
  readonly onChange: (seconds: number) => void;
}) {
  const id = useId();
  const [chosen, setChosen] = useState<Unit | null>(null);
  const unit = chosen ?? unitOf(seconds);
  const isWrong = !isInRange(seconds);
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-13 font-medium">
        {label}
      </label>
      <div className="flex gap-2">
        <input
          id={id}
          type="number"
          inputMode="decimal"
          min={0}
          value={Number.isNaN(seconds) ? '' : seconds / UNITS[unit]}
          aria-invalid={isWrong}
          aria-describedby={`${id}-about`}
          onChange={(event) => {
            setChosen(unit);
            onChange(Math.round(event.target.valueAsNumber * UNITS[unit]));
          }}
          className={`min-h-10 w-22 rounded-control border bg-surface px-2.5 text-13 max-md:min-h-11 max-md:text-16 ${
            isWrong ? 'border-down-g' : 'border-control'
          }`}
        />
        <div className="min-w-0 flex-1">
          <SelectBox
            aria-label={m.checkEditor.unit(label)}
            value={unit}
            onChange={(event) => {
              const next = event.target.value as Unit;
              setChosen(next);
              onChange(Math.round((seconds / UNITS[unit]) * UNITS[next]));
            }}
            className="min-h-10"
          >
            {(Object.keys(UNITS) as Unit[]).map((one) => (
              <option key={one} value={one}>
                {m.checkEditor.units[one]}
              </option>
            ))}
          </SelectBox>
        </div>
      </div>
      <div>
        <input
          type="range"
          aria-label={m.checkEditor.slider(label)}
          min={0}
          max={1_000}
          value={toShare(Number.isNaN(seconds) ? 60 : Math.min(MOST_SECONDS, Math.max(60, seconds)))}
          onChange={(event) => {
            setChosen(null);
            onChange(toSeconds(event.target.valueAsNumber));
          }}
          className="block w-full accent-solid max-md:h-11"
        />
        <div className="relative mt-0.5 h-4.5">
          {SCALE.map((mark, place) => (
            <button
              key={mark.share}
              type="button"
              tabIndex={-1}
              onClick={() => {
                setChosen(null);
                onChange(mark.seconds);
              }}
              style={{ left: `${mark.share / 10}%` }}
              className="absolute -translate-x-1/2 text-11 whitespace-nowrap text-ink-3 first:translate-x-0 last:-translate-x-full hover:text-ink max-md:pointer-events-none"
            >
              {m.checkEditor.marks[place]}
            </button>
          ))}
        </div>
      </div>
      <div id={`${id}-about`}>
        {isWrong && <ErrorText>{m.checkEditor.outOfRange}</ErrorText>}
        {hint !== undefined && <p className="text-12 text-ink-3">{hint}</p>}
      </div>
    </div>
  );
}
