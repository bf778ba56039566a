import type { ReactNode } from 'react';

/** A part of the page of a status page. */
export function Section({
  title,
  lead,
  action,
  children,
}: {
  readonly title: string;
  readonly lead: ReactNode;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="text-14">{title}</h2>
          <p className="text-12 text-ink-3">{lead}</p>
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}
