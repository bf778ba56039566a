import type { ReactNode } from 'react';

/** A short grey word: a tag, a role. */
export function Chip({ children }: { readonly children: ReactNode }) {
  return (
    <span className="inline-flex h-9 flex-none items-center gap-2 rounded-chip bg-quiet-t px-3 text-11 leading-9 font-medium whitespace-nowrap text-ink-2">
      {children}
    </span>
  );
}
