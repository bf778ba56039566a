import { type ReactNode, useId } from 'react';

/** A section with a frame. */
export function Card({
  title,
  lead,
  action,
  className = '',
  children,
}: {
  readonly title?: ReactNode;
  readonly lead?: ReactNode;
  /** Stands at the end of the title's line. */
  readonly action?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={`min-w-0 rounded-card border border-line bg-surface ${className}`}
    >
      {title !== undefined && (
        <header className="flex min-h-9 flex-wrap items-center gap-2 px-4 pt-3">
          <div className={`min-w-0 flex-1 ${lead === undefined ? '' : 'basis-[240px]'}`}>
            <h2 id={id} className="text-14 leading-5">
              {title}
            </h2>
            {lead !== undefined && <p className="text-12 text-ink-3">{lead}</p>}
          </div>
          {action}
        </header>
      )}
      <div className="px-4 pt-2.5 pb-4">{children}</div>
    </section>
  );
}
