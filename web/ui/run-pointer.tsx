import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { seconds as micros } from '../../src/lib/instant.ts';
import { spanText } from '../../src/lib/text/ages.ts';
import type { RunStripJson } from '../../src/views/board-json.ts';
import { m } from '../messages/index.ts';
import { resultWords } from './run-results.ts';
import { runPlace } from './run-strip.tsx';
import { ClockTime } from './time.tsx';
import './run-pointer.css';

/**
 * Around drawings of runs that stand side by side, such as a strip: says how the run went that is pointed at, when, and
 * how long it took. With `onOpen` it takes the arrow keys and fingers, too, and Enter or a click opens the ping of the run.
 */
export function RunPointer({
  runs,
  slots,
  onOpen,
  className = '',
  children,
}: {
  readonly runs: RunStripJson;
  readonly slots: number;
  readonly onOpen?: (n: number) => void;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  /** A finger shows the values first. Only a second tap opens. */
  const opensByClick = useRef(true);
  const count = runs.results.length;

  const point = (event: PointerEvent<HTMLElement>): number | null => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - left) / width) * slots) - (slots - count);
    const found = place >= 0 && place < count ? place : null;
    setPointed(found);
    return found;
  };
  const shown = pointed !== null && pointed < count ? pointed : null;
  const card = shown !== null && <RunCard runs={runs} place={shown} slots={slots} />;
  if (onOpen === undefined || count === 0) {
    return (
      <div
        className={`run-pointer ${className}`}
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
      >
        {children}
        {card}
      </div>
    );
  }

  const open = () => {
    const n = shown === null ? null : runs.n[shown];
    if (n != null) onOpen(n);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = placeByKey(event.key, shown, count - 1);
    if (next !== undefined) setPointed(next);
    else if (event.key === 'Enter') open();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section
      className={`run-pointer by-finger ${className}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys go through the runs
      tabIndex={0}
      aria-label={m.runs.label}
      onPointerDown={(event) => {
        const place = point(event);
        opensByClick.current = event.pointerType !== 'touch' || place === shown;
      }}
      onPointerMove={point}
      onPointerLeave={({ pointerType }) => {
        if (pointerType !== 'touch') setPointed(null);
      }}
      onBlur={() => setPointed(null)}
      onClick={() => {
        if (opensByClick.current) open();
      }}
      onKeyDown={onKeyDown}
    >
      {children}
      <div role="status">{card}</div>
    </section>
  );
}

/** The place to which a key leads, null for no place. Undefined for other keys. */
function placeByKey(key: string, from: number | null, last: number): number | null | undefined {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, (from ?? last + 1) - 1);
    case 'ArrowRight':
      return Math.min(last, (from ?? last - 1) + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'Escape':
      return from === null ? undefined : null;
    default:
      return undefined;
  }
}

function RunCard({
  runs,
  place,
  slots,
}: {
  readonly runs: RunStripJson;
  readonly place: number;
  readonly slots: number;
}) {
  const at = runs.at[place];
  const duration = runs.durations[place];
  const { left, width } = runPlace(slots - runs.results.length + place, slots);
  return (
    <>
      <div className="run-pointed" style={{ left: `${left}%`, width: `${width}%` }} />
      {/* Moved by as much of its own width, it never leaves the drawing. */}
      <div className="run-card" style={{ left: `${left}%`, transform: `translateX(-${left}%)` }}>
        <b className="font-semibold">{resultWords(runs, place)}</b>
        {at !== undefined && (
          <>
            {' · '}
            <ClockTime at={at} />
          </>
        )}
        {duration != null && ` · ${spanText(micros(duration))}`}
      </div>
    </>
  );
}
