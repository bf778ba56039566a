import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import type { Destination } from '../app/destination.ts';

type Section = Destination & { readonly label: string };

/** Pages that belong together: at the left the list of them, on phones as tabs that scroll. */
export function SubNav({
  label,
  sections,
  children,
}: {
  readonly label: string;
  readonly sections: readonly Section[];
  readonly children: ReactNode;
}) {
  const here = useLocation({ select: ({ pathname }) => pathname });
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another open section
  useLayoutEffect(() => {
    const open = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current === null || open == null) return;
    // On phones it may lie outside of the visible tabs.
    nav.current.scrollLeft = open.offsetLeft - (nav.current.clientWidth - open.offsetWidth) / 2;
  }, [here]);
  return (
    <div className="grid items-start gap-6 md:grid-cols-[160px_minmax(0,1fr)]">
      <nav
        ref={nav}
        aria-label={label}
        className="scrollbar-none flex gap-0.5 max-md:relative max-md:-mx-4 max-md:overflow-x-auto max-md:px-4 md:sticky md:top-4 md:flex-col"
      >
        {sections.map(({ label: name, ...section }) => (
          <Link
            key={section.to}
            {...section}
            // Filters in the address do not make it another page.
            activeOptions={{ exact: true, includeSearch: false }}
            activeProps={{ className: 'bg-hover text-ink' }}
            inactiveProps={{ className: 'text-ink-2' }}
            className="rounded-[7px] px-2.5 py-1.5 font-medium whitespace-nowrap hover:bg-hover max-md:py-3"
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="grid min-w-0 gap-5">{children}</div>
    </div>
  );
}
