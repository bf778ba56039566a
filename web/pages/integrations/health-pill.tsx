import { m } from '../../messages/index.ts';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import type { Channel } from './queries.ts';

type Health = Channel['health'];

const LOOKS: Readonly<Record<Health, { readonly shape: Shape; readonly look: string }>> = {
  delivering: { shape: 'up', look: 'text-ink-2' },
  waiting: { shape: 'waiting', look: 'text-quiet' },
  failing: { shape: 'late', look: 'rounded-[6px] bg-late-t pr-2 pl-1.5 text-late' },
  disabled: { shape: 'down', look: 'rounded-[6px] bg-down-t pr-2 pl-1.5 text-down' },
  unconfirmed: { shape: 'new', look: 'text-quiet' },
};

/** The health of an integration, in word, colour and shape. */
export function HealthPill({ health }: { readonly health: Health }) {
  const { shape, look } = LOOKS[health];
  return (
    <span className={`inline-flex h-5.5 items-center gap-1.5 text-12 font-medium whitespace-nowrap ${look}`}>
      <Glyph shape={shape} className="size-3.5" />
      {m.integrations.health[health]}
    </span>
  );
}
