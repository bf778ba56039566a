import { useLocation, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { m } from '../messages/index.ts';
import { Bar, isSkeletonPageShown, useSkeletonClass, useSkeletonPage } from '../ui/skeleton.tsx';
import type { PageRouter } from './router.tsx';

/** What comes sooner needs no sign that it is on its way. */
export const MOMENT_MS = 300;

/** The places of the side bar and of the page. The document has them, too, for the time before the scripts have come. */
export const FRAME =
  'min-h-[calc(100dvh-var(--above,0px))] md:grid md:grid-cols-[60px_minmax(0,1fr)] xl:grid-cols-[212px_minmax(0,1fr)]';
export const MAIN =
  'min-w-0 bg-surface outline-none max-md:min-h-[calc(100dvh-64px)] max-md:pt-[env(safe-area-inset-top)] max-md:pb-[calc(64px+env(safe-area-inset-bottom))] md:my-2 md:mr-2 md:rounded-card md:border md:border-line md:shadow-1';

const isSamePath = (one: string, other: string | undefined) =>
  one.replace(/\/$/, '') === other?.replace(/\/$/, '');

/** The address of the page that is on its way for more than a moment. */
export function useSlowPage(router?: PageRouter): string | null {
  const awaited = useRouterState({
    ...(router !== undefined && { router }),
    // A page that is drawn is not hidden any longer: what it measures and scrolls must have its size.
    select: ({ isLoading, location: { pathname }, matches }) =>
      isLoading && !isSamePath(pathname, matches.at(-1)?.pathname) ? pathname : null,
  });
  const isAwaited = awaited !== null;
  // The frame may come while its page is still on its way.
  const [isSlow, setIsSlow] = useState(isSkeletonPageShown);
  useEffect(() => {
    if (!isAwaited) return setIsSlow(false);
    const timer = setTimeout(() => setIsSlow(true), MOMENT_MS);
    return () => {
      clearTimeout(timer);
      setIsSlow(false);
    };
  }, [isAwaited]);
  return isSlow ? awaited : null;
}

/** Stands for the first page until it comes. Style sheets hide it as soon as there is another one. */
export function FirstPage({ router }: { readonly router: PageRouter }) {
  const path = useSlowPage(router);
  if (path === null) return null;
  return (
    <div className={`first-page ${FRAME}`}>
      <span />
      <main className={`${MAIN} md:col-start-2`}>
        <PageSkeleton path={path} />
      </main>
    </div>
  );
}

/** Stands for a page that waits for its first data. */
export function WaitingPage() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  return <PageSkeleton path={path} className={useSkeletonClass()} />;
}

/** A page in outlines: its head, and what kind of content will be below. */
export function PageSkeleton({
  path,
  className = '',
}: {
  readonly path: string;
  readonly className?: string;
}) {
  useSkeletonPage();
  const outline = OUTLINES.find(([pattern]) => pattern.test(path))?.[1] ?? <Table />;
  return (
    <div aria-busy="true" data-skeleton="" className={className}>
      <p role="status" className="sr-only">
        {m.shell.loading}
      </p>
      <div className="flex h-13 items-center border-b border-line px-5 max-md:px-4">
        <Bar className="w-40" />
      </div>
      {outline}
    </div>
  );
}

const times = (count: number, draw: (n: number) => ReactNode) =>
  Array.from({ length: count }, (_, n) => draw(n));

const HEAD = (
  <div className="grid gap-3 px-5 pt-6 pb-5 max-md:px-4">
    <Bar className="h-5! w-1/2" />
    <Bar className="w-2/3" />
  </div>
);

const rows = (className: string) =>
  times(8, (n) => (
    <div key={n} className={`flex items-center gap-5 border-t border-line px-5 max-md:px-4 ${className}`}>
      <Bar className="w-16" />
      <Bar className="w-1/4" />
      <Bar className="ml-auto w-1/3" />
    </div>
  ));

const card = (className: string) => <div className={`rounded-card border border-line ${className}`} />;

function Table() {
  return (
    <>
      {HEAD}
      <div className="mx-5 overflow-hidden rounded-card border border-line max-md:mx-4">{rows('h-14')}</div>
    </>
  );
}

/** The outlines of pages, by their addresses. The others have a title and a table. */
const OUTLINES: readonly (readonly [RegExp, ReactNode])[] = [
  [
    /\/all-checks\/$|\/projects\/[^/]+\/checks\/$/,
    <>
      {HEAD}
      <div className="h-33 px-5 pt-16 max-md:px-4">
        <Bar className="w-full" />
      </div>
      {rows('h-12 max-md:h-26')}
    </>,
  ],
  [
    /\/checks\/[^/]+\/(details|log)\/$/,
    <>
      {HEAD}
      <div className="grid gap-4 px-5 max-md:px-4">
        {card('h-24')}
        <div className="grid gap-4 md:grid-cols-[minmax(0,1fr)_300px]">
          {card('h-80')}
          {card('h-64')}
        </div>
      </div>
    </>,
  ],
  [
    /\/timeline\/$/,
    <>
      {HEAD}
      {rows('h-8.5 max-md:h-12.5')}
    </>,
  ],
  [
    /^\/[^/]*\/?$/,
    <>
      {HEAD}
      {rows('h-20')}
    </>,
  ],
];
