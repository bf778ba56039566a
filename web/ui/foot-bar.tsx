import type { ReactNode } from 'react';

/** Stays at the foot of a page, over its whole width: how it stands with a form, and what can be done. */
export function FootBar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-5 flex items-center gap-4 rounded-b-card border-t border-line bg-surface px-12 py-6 max-md:bottom-32 max-md:flex-wrap max-md:rounded-none max-md:px-8 max-md:py-5">
      {children}
    </div>
  );
}

/** The same in a sheet. */
export function SheetFootBar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="sticky -bottom-8 -mx-8 -mb-8 flex flex-wrap items-center justify-end gap-4 border-t border-line bg-surface px-8 py-6">
      {children}
    </div>
  );
}
