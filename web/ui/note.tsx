import type { ReactNode } from 'react';
import { Glyph, type Shape } from './glyph.tsx';

const LOOKS = {
  plain: 'border-line bg-sunken',
  late: 'border-late-g/30 bg-late-t',
  down: 'border-down-g/30 bg-down-t',
  up: 'border-up-g/30 bg-up-t',
};

const SHAPES: Readonly<Record<keyof typeof LOOKS, Shape>> = {
  plain: 'unknown',
  late: 'late',
  down: 'down',
  up: 'up',
};

/** A remark above its subject, with buttons at its end. */
export function Note({
  kind = 'plain',
  shape = SHAPES[kind],
  action,
  children,
}: {
  readonly kind?: keyof typeof LOOKS;
  readonly shape?: Shape;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div
      className={`flex items-start gap-2.5 rounded-control border px-3 py-2.5 text-12 leading-4.5 text-ink-2 max-md:flex-wrap ${LOOKS[kind]}`}
    >
      <Glyph shape={shape} className="mt-0.5 size-3.5" />
      <div className="min-w-0 flex-1 max-md:basis-4/5">{children}</div>
      {action}
    </div>
  );
}
