import { createContext, type ReactNode, use } from 'react';

/** Whether the frame around is the main part of the page already. */
export const InsideMain = createContext(false);

/** A centred message instead of a page. Renders `<main>` unless the frame already did. */
export function MainPart({ children }: { readonly children: ReactNode }) {
  const isInside = use(InsideMain);
  const className = 'grid content-center justify-items-center gap-4 px-4 text-center';
  if (isInside) return <div className={`${className} min-h-[70dvh]`}>{children}</div>;
  return <main className={`${className} min-h-dvh`}>{children}</main>;
}
