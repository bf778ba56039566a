import { m } from '../messages/index.ts';
import { Glyph } from './glyph.tsx';

/** A status as pages show it. */
export type ShownStatus = 'up' | 'late' | 'down' | 'running' | 'paused' | 'new' | 'never_came' | 'unknown';

const LOOKS: Readonly<Record<ShownStatus, string>> = {
  up: 'text-ink-2',
  late: 'rounded-[6px] bg-late-t pr-2 pl-1.5 text-late',
  down: 'pill-down rounded-[6px] bg-down-s pr-2 pl-1.5 font-semibold text-white',
  running: 'text-run',
  paused: 'text-quiet',
  new: 'text-quiet',
  never_came: 'rounded-[6px] bg-late-t pr-1.5 pl-1 text-late',
  unknown: 'text-quiet',
};

const SIZES = { medium: 'h-5.5 text-12', large: 'h-7 rounded-control! text-14' };
/** With a background, the word keeps a distance from its edge. */
const LARGE_EDGES: Partial<Record<ShownStatus, string>> = {
  late: 'pr-2.5! pl-2!',
  never_came: 'pr-2.5! pl-2!',
  down: 'pr-2.5! pl-2!',
};

/** The status in word, colour and shape. `sentence` says all of it, for people who point at it or cannot see it. */
export function StatusPill({
  status,
  sentence,
  size = 'medium',
}: {
  readonly status: ShownStatus;
  readonly sentence?: string;
  readonly size?: keyof typeof SIZES;
}) {
  return (
    <span
      title={sentence}
      className={`inline-flex items-center gap-1.5 font-medium whitespace-nowrap ${LOOKS[status]} ${SIZES[size]} ${size === 'large' ? (LARGE_EDGES[status] ?? '') : ''}`}
    >
      <Glyph
        shape={status}
        className={size === 'large' ? 'size-4' : 'size-3.5'}
        {...(status === 'down' && { colour: 'text-white' })}
      />
      {m.statuses[status]}
      {sentence !== undefined && <span className="sr-only">. {sentence}</span>}
    </span>
  );
}
