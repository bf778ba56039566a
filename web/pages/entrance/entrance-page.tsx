import type { ReactNode } from 'react';
import { m } from '../../messages/index.ts';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Logo } from '../../ui/logo.tsx';
import { SampleStrips } from './sample-strips.tsx';

/** The frame of all pages for people who are not signed in. */
export function EntrancePage({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] max-md:grid-rows-[132px_1fr] md:grid-cols-[minmax(420px,1fr)_minmax(0,1.15fr)]">
      <title>{m.title(title)}</title>
      <main className="grid justify-center px-6 py-7 max-md:row-start-2 max-md:content-start md:content-center md:bg-surface md:py-10">
        <div className="grid w-[min(340px,calc(100vw-48px))] gap-4">
          <div className="pb-2">
            <Logo />
          </div>
          <div>
            <h1 className="text-26 leading-8 tracking-[-.022em]">{title}</h1>
            {lead !== undefined && <p className="mt-0.5 text-14 text-ink-3">{lead}</p>}
          </div>
          {children}
          <p className="pt-3 text-12 [&>a]:-my-3.5 [&>a]:inline-block [&>a]:py-3.5 [&>a]:font-medium [&>a]:no-underline">
            <DocsLink path="">{m.docs.name}</DocsLink>
          </p>
        </div>
      </main>
      <SampleStrips />
    </div>
  );
}
