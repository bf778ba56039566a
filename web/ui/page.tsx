import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Destination } from '../app/destination.ts';
import { FindButton } from '../app/palette/host.tsx';
import { m } from '../messages/index.ts';

type Crumb = Destination & { readonly label: string };

const BETWEEN = <ChevronRight className="size-3 flex-none opacity-60 max-md:hidden" />;

/** The frame of a page inside the shell: its place, its acts, and its content. */
export function Page({
  title,
  name = title,
  project,
  above = [],
  isBelow = project !== undefined && above.length > 0,
  phoneHead,
  actions,
  children,
}: {
  /** For the tab of the browser. */
  readonly title: string;
  /** For the crumbs, if it is another one. */
  readonly name?: string;
  /** The project that the page belongs to. It is the first crumb. */
  readonly project?: { readonly name: string; readonly uuid: string };
  /** The pages between the project and this one. */
  readonly above?: readonly Crumb[];
  /** Whether phones, which have no room for the crumbs, show a way to the page above. */
  readonly isBelow?: boolean;
  /** Stands on phones in place of the crumbs. */
  readonly phoneHead?: ReactNode;
  /** Stands at the end of the top bar. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const home = project && {
    label: project.name,
    to: '/projects/$project/checks/' as const,
    params: { project: project.uuid },
  };
  const crumbs: readonly Crumb[] = [...(home === undefined ? [] : [home]), ...above];
  const last = isBelow ? crumbs.at(-1) : undefined;
  return (
    <>
      <title>{m.title(title)}</title>
      <header className="flex h-13 items-center gap-2 border-b border-line px-5 max-md:sticky max-md:top-0 max-md:z-10 max-md:bg-surface max-md:pr-2 max-md:pl-4">
        {last !== undefined && (
          <Link
            {...last}
            aria-label={m.shell.above}
            className="-ml-3.5 grid size-11 flex-none place-items-center rounded-control text-ink-2 md:hidden"
          >
            <ChevronLeft className="size-4.5" />
          </Link>
        )}
        {phoneHead !== undefined && <div className="min-w-0 flex-1 md:hidden">{phoneHead}</div>}
        <nav
          aria-label={m.shell.breadcrumb}
          className={`min-w-0 flex-1 ${phoneHead === undefined ? '' : 'max-md:hidden'} ${last === undefined ? '' : 'max-md:-ml-2'}`}
        >
          <ol className="flex min-w-0 items-center gap-1.5 text-ink-3">
            {crumbs.map(({ label, ...page }, place) => (
              <li key={label} className="flex min-w-0 items-center gap-1.5 max-md:hidden">
                {place > 0 && BETWEEN}
                <Link {...page} className="truncate hover:text-ink">
                  {label}
                </Link>
              </li>
            ))}
            <li className="flex min-w-0 items-center gap-1.5">
              {crumbs.length > 0 && BETWEEN}
              <b aria-current="page" className="truncate font-medium text-ink">
                {name}
              </b>
            </li>
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
