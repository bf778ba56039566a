import { Glyph } from '../../ui/glyph.tsx';
import type { Component } from './status-page-types.ts';

const LOOKS = {
  works: { shape: 'up', className: 'text-ink-2' },
  late: { shape: 'late', className: 'rounded-[6px] bg-late-t pr-2 pl-1.5 text-late' },
  down: {
    shape: 'down',
    className: 'pill-down rounded-[6px] bg-down-s pr-2 pl-1.5 font-semibold text-white',
  },
  unknown: { shape: 'new', className: 'text-quiet' },
} as const;

/** The state of a component in the words of the public page. */
export function ComponentPill({ state, words }: Pick<Component, 'state'> & { readonly words: string }) {
  const { shape, className } = LOOKS[state];
  return (
    <span
      className={`inline-flex h-5.5 items-center gap-1.5 text-12 font-medium whitespace-nowrap ${className}`}
    >
      <Glyph shape={shape} {...(state === 'down' && { colour: 'text-white' })} />
      {words}
    </span>
  );
}
