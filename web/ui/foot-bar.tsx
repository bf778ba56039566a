import type { ReactNode } from 'react';

/** Stays at the foot of a page, over its whole width: the state of a form, and its buttons. */
export function FootBar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-5 flex items-center gap-2 rounded-b-card border-t border-line bg-surface px-6 py-3 max-md:bottom-[calc(64px+env(safe-area-inset-bottom))] max-md:flex-wrap max-md:rounded-none max-md:px-4 max-md:py-2.5">
      {children}
    </div>
  );
}

export function SheetFootBar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="sticky -bottom-4 -mx-4 -mb-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-4 py-3">
      {children}
    </div>
  );
}
