import type { ReactNode } from 'react';
import { Glyph, type Shape } from './glyph.tsx';

/** Shown where nothing can be shown: a sentence, its reason, and the next step. */
export function Blank({
  shape,
  title,
  children,
  actions,
}: {
  readonly shape?: Shape;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}) {
  return (
    <div className="grid justify-items-center gap-2 px-4 py-8 text-center">
      {shape !== undefined && <Glyph shape={shape} className="size-5" />}
      <p className="text-14 font-semibold">{title}</p>
      {children !== undefined && (
        <div className="max-w-[52ch] text-13 text-balance text-ink-2">{children}</div>
      )}
      {actions !== undefined && <div className="mt-1 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
