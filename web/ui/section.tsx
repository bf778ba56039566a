import { type ReactNode, useId } from 'react';

/** A part of a page with its title, without a frame. */
export function Section({
  title,
  lead,
  action,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid min-w-0 gap-2.5">
      <header className="flex flex-wrap items-end gap-2">
        <div className="min-w-[200px] flex-1">
          <h2 id={id} className="text-14 leading-5">
            {title}
          </h2>
          {lead !== undefined && <p className="text-13 text-ink-3">{lead}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}
