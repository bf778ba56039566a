import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface Section {
  readonly label: string;
  readonly to: string;
}

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
  return (
    <div className="grid items-start gap-12 md:grid-cols-[160px_minmax(0,1fr)]">
      <nav
        aria-label={label}
        className="scrollbar-none flex gap-1 max-md:-mx-8 max-md:overflow-x-auto max-md:px-8 md:sticky md:top-8 md:flex-col"
      >
        {sections.map(({ label: name, to }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: true }}
            activeProps={{ className: 'bg-hover text-ink' }}
            inactiveProps={{ className: 'text-ink-2' }}
            className="rounded-[7px] px-5 py-3 font-medium whitespace-nowrap hover:bg-hover max-md:py-5"
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="grid min-w-0 gap-10">{children}</div>
    </div>
  );
}
