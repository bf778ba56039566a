import type { ReactNode } from 'react';

/** A short grey word: a tag, a role. */
export function Chip({ children }: { readonly children: ReactNode }) {
  return (
    <span className="inline-flex h-4.5 flex-none items-center gap-1 rounded-chip bg-quiet-t px-1.5 text-11 leading-4.5 font-medium whitespace-nowrap text-ink-2">
      {children}
    </span>
  );
}
