import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Destination } from '../app/destination.ts';
import { FindButton } from '../app/palette/host.tsx';
import { m } from '../messages/index.ts';

/** Without a destination it is the page itself. */
type Crumb = { readonly label: string } & (Destination | { readonly to?: never });

/** The frame of a page inside the shell: its place, its acts, and its content. */
export function Page({
  title,
  crumbs,
  isBelow = crumbs.length > 2,
  phoneHead,
  actions,
  children,
}: {
  /** For the tab of the browser. */
  readonly title: string;
  readonly crumbs: readonly Crumb[];
  /** Whether phones, which have no room for the crumbs, show a way to the page above. */
  readonly isBelow?: boolean;
  /** Stands on phones in place of the crumbs. */
  readonly phoneHead?: ReactNode;
  /** Stands at the end of the top bar. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const above = isBelow ? crumbs.at(-2) : undefined;
  return (
    <>
      <title>{m.title(title)}</title>
      <header className="flex h-13 items-center gap-2 border-b border-line px-5 max-md:sticky max-md:top-0 max-md:z-10 max-md:bg-surface max-md:pr-2 max-md:pl-4">
        {above?.to !== undefined && (
          <Link
            {...above}
            aria-label={m.shell.above}
            className="-ml-3.5 grid size-11 flex-none place-items-center rounded-control text-ink-2 md:hidden"
          >
            <ChevronLeft className="size-4.5" />
          </Link>
        )}
        {phoneHead !== undefined && <div className="min-w-0 flex-1 md:hidden">{phoneHead}</div>}
        <nav
          aria-label={m.shell.breadcrumb}
          className={`min-w-0 flex-1 ${phoneHead === undefined ? '' : 'max-md:hidden'} ${above?.to === undefined ? '' : 'max-md:-ml-2'}`}
        >
          <ol className="flex min-w-0 items-center gap-1.5 text-ink-3">
            {crumbs.map(({ label, ...page }, place) => (
              <li
                key={label}
                className={`flex min-w-0 items-center gap-1.5 ${place < crumbs.length - 1 ? 'max-md:hidden' : ''}`}
              >
                {place > 0 && <ChevronRight className="size-3 flex-none opacity-60 max-md:hidden" />}
                {page.to === undefined ? (
                  <b aria-current="page" className="truncate font-medium text-ink">
                    {label}
                  </b>
                ) : (
                  <Link {...page} className="truncate hover:text-ink">
                    {label}
                  </Link>
                )}
              </li>
            ))}
          </ol>
        </nav>
        <FindButton />
        {actions}
      </header>
      {children}
    </>
  );
}

/** The padding and width of pages that are read or filled in. Lists use the whole width instead. */
export function PageBody({ children }: { readonly children: ReactNode }) {
  return <div className="grid max-w-[1180px] gap-5 p-6 max-md:px-4 max-md:py-4.5">{children}</div>;
}

/** The title of a page, with a sentence below it. */
export function PageHead({ title, lead }: { readonly title: ReactNode; readonly lead?: ReactNode }) {
  return (
    <div>
      <h1 className="text-20 tracking-[-.016em]">{title}</h1>
      {lead !== undefined && <p className="max-w-[70ch] text-14 text-ink-2">{lead}</p>}
    </div>
  );
}
