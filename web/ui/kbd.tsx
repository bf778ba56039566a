import type { ReactNode } from 'react';

/** A key of the keyboard. */
export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-grid h-4.5 min-w-4.5 place-items-center rounded-[4px] border border-line-2 bg-sunken px-1 font-sans text-11 leading-none text-ink-3 in-[.bg-solid]:border-on-solid/30 in-[.bg-solid]:bg-on-solid/12 in-[.bg-solid]:text-on-solid">
      {children}
    </kbd>
  );
}
