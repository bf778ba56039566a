import type { ReactNode } from 'react';

const KNOCKED = { stroke: 'var(--knock)', strokeWidth: 1.8, strokeLinecap: 'round' } as const;
const LINE = {
  fill: 'none',
  stroke: 'currentColor',
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;

/** The shapes of statuses, of deliveries and of signals. Each is known by its outline, without its colour. */
const HOLLOW_DIAMOND = (
  <path
    d="M8 1.3 14.7 8 8 14.7 1.3 8z"
    fill="var(--knock)"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinejoin="round"
  />
);

const OCTAGON = <path d="M5.2.9h5.6l4.3 4.3v5.6l-4.3 4.3H5.2L.9 10.8V5.2z" fill="currentColor" />;
const PAUSE_BARS = (
  <>
    <rect x="1.4" y="1.4" width="13.2" height="13.2" rx="4" strokeWidth="1.6" {...LINE} />
    <path d="M6.2 5.4v5.2M9.8 5.4v5.2" strokeWidth="1.8" {...LINE} />
  </>
);

const SHAPES = {
  up: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="m4.9 8.3 2.2 2.2 4.1-4.7" fill="none" strokeLinejoin="round" {...KNOCKED} />
    </>
  ),
  late: (
    <>
      <path
        d="M6.9 1.9a1.3 1.3 0 0 1 2.2 0l6 10.6a1.3 1.3 0 0 1-1.1 1.9H2a1.3 1.3 0 0 1-1.1-1.9z"
        fill="currentColor"
      />
      <path d="M8 5.6v3.6M8 11.8v.01" {...KNOCKED} />
    </>
  ),
  down: (
    <>
      {OCTAGON}
      <path d="m5.5 5.5 5 5m0-5-5 5" {...KNOCKED} />
    </>
  ),
  acknowledged: (
    <>
      {OCTAGON}
      <path d="m4.9 8.3 2.2 2.2 4.1-4.7" fill="none" strokeLinejoin="round" {...KNOCKED} />
    </>
  ),
  held: (
    <>
      {OCTAGON}
      <path d="M8 4.8v5.6m-2.3-2.2L8 10.5l2.3-2.3" fill="none" strokeLinejoin="round" {...KNOCKED} />
    </>
  ),
  running: (
    <>
      <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeOpacity=".28" strokeWidth="1.8" />
      <path className="glyph-arc" d="M8 1.8A6.2 6.2 0 0 1 14.2 8" strokeWidth="1.8" {...LINE} />
      <path d="M6.5 5.3v5.4L11 8z" fill="currentColor" />
    </>
  ),
  paused: PAUSE_BARS,
  snoozed: PAUSE_BARS,
  quiet: PAUSE_BARS,
  new: (
    <circle
      cx="8"
      cy="8"
      r="6.3"
      strokeWidth="1.7"
      strokeDasharray="2.4 2.55"
      {...LINE}
      strokeLinecap="butt"
    />
  ),
  unknown: (
    <path
      d="M8 1.3 14.7 8 8 14.7 1.3 8z"
      strokeWidth="1.7"
      strokeDasharray="2.6 2.135"
      {...LINE}
      strokeLinecap="butt"
    />
  ),
  missed: HOLLOW_DIAMOND,
  never_came: HOLLOW_DIAMOND,
  retrying: <path d="M13.2 8A5.2 5.2 0 1 1 11 3.8M13.5 1.5v3.3h-3.3" strokeWidth="1.8" {...LINE} />,
  waiting: (
    <>
      <circle cx="8" cy="8" r="6.3" strokeWidth="1.6" {...LINE} />
      <path d="M8 4.5V8l2.5 1.5" strokeWidth="1.6" {...LINE} />
    </>
  ),
  off: (
    <>
      <circle cx="8" cy="8" r="6.3" strokeWidth="1.6" {...LINE} />
      <path d="m3.6 12.4 8.8-8.8" strokeWidth="1.6" {...LINE} />
    </>
  ),
  start: <path d="M4.8 3.2v9.6L12.6 8z" strokeWidth="1.6" {...LINE} />,
  log: <path d="M3 4.5h10M3 8h10M3 11.5h6" strokeWidth="1.6" {...LINE} />,
} satisfies Record<string, ReactNode>;

export type Shape = keyof typeof SHAPES;

const COLOURS: Readonly<Record<Shape, string>> = {
  up: 'text-up-g',
  late: 'text-late-g',
  down: 'text-down-g',
  acknowledged: 'text-down-g',
  held: 'text-down-g',
  snoozed: 'text-quiet-g',
  quiet: 'text-quiet-g',
  running: 'text-run-g',
  paused: 'text-quiet-g',
  new: 'text-quiet-g',
  unknown: 'text-quiet-g',
  missed: 'text-down-g',
  never_came: 'text-late-g',
  retrying: 'text-late-g',
  waiting: 'text-quiet-g',
  off: 'text-quiet-g',
  start: 'text-quiet-g',
  log: 'text-quiet-g',
};

/** A shape beside its word. Without a word the caller names it for screen readers. */
export function Glyph({
  shape,
  label,
  className = 'size-3.5',
  colour = COLOURS[shape],
}: {
  readonly shape: Shape;
  readonly label?: string;
  readonly className?: string;
  /** Replaces the colour of the shape, on a coloured ground. */
  readonly colour?: string;
}) {
  return (
    <svg
      viewBox="0 0 16 16"
      role={label === undefined ? 'presentation' : 'img'}
      aria-hidden={label === undefined}
      aria-label={label}
      className={`glyph flex-none ${colour} ${className}`}
    >
      {SHAPES[shape]}
    </svg>
  );
}
