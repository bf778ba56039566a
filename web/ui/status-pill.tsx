import type { AnswerKind } from '../../src/domain/history/standing.ts';
import { m } from '../messages/index.ts';
import { Glyph } from './glyph.tsx';

/** A status as pages show it. */
export type ShownStatus = keyof typeof m.statuses;

/** The status of a check on its pill: who has it, or who wants silence, says more than that it is down. */
export function shownStatus(status: ShownStatus, answer: { readonly kind: AnswerKind } | null): ShownStatus {
  if (answer === null || answer.kind === 'waiting') return status;
  return answer.kind === 'snoozed' || answer.kind === 'quiet' || status === 'down' ? answer.kind : status;
}

const ON_TINT = 'rounded-[6px] bg-down-t pr-2 pl-1.5 font-semibold text-down';

const LOOKS: Readonly<Record<ShownStatus, string>> = {
  up: 'text-ink-2',
  late: 'rounded-[6px] bg-late-t pr-2 pl-1.5 text-late',
  down: 'pill-down rounded-[6px] bg-down-s pr-2 pl-1.5 font-semibold text-white',
  acknowledged: ON_TINT,
  held: ON_TINT,
  snoozed: 'text-quiet',
  quiet: 'text-quiet',
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
  acknowledged: 'pr-2.5! pl-2!',
  held: 'pr-2.5! pl-2!',
};

/** The word of a pill, where it is not the name of the status. */
const WORDS: Partial<Record<ShownStatus, string>> = { acknowledged: m.statuses.down, held: m.statuses.down };

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
      {WORDS[status] ?? m.statuses[status]}
      {sentence !== undefined && <span className="sr-only">. {sentence}</span>}
    </span>
  );
}
