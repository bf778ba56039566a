import type { ReactNode } from 'react';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';

const t = m.alerts.listed;

/** One of several that the project has by name: what it means, what uses it, and its two buttons. */
export function ListedRow({
  name,
  isBusy,
  users,
  onEdit,
  onRemove,
  children,
}: {
  readonly name: string;
  readonly isBusy: boolean;
  /** What uses it, in words. */
  readonly users: readonly string[];
  /** Null: it cannot be changed, or not by this person. */
  readonly onEdit: (() => void) | null;
  readonly onRemove: (() => void) | null;
  readonly children: ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere] max-md:basis-full">
        <p className="font-medium">{name}</p>
        <div className="text-13 text-ink-2">{children}</div>
        <p className="text-12 text-ink-3">{users.length === 0 ? t.unused : t.usedBy(users.join(', '))}</p>
      </div>
      <span className="flex gap-1 empty:hidden max-md:ml-auto">
        {onEdit !== null && (
          <Button kind="ghost" size="small" aria-label={t.editOf(name)} disabled={isBusy} onClick={onEdit}>
            {t.edit}
          </Button>
        )}
        {onRemove !== null && (
          <Button
            kind="ghostDanger"
            size="small"
            aria-label={t.removeOf(name)}
            disabled={isBusy}
            onClick={onRemove}
          >
            {t.remove}
          </Button>
        )}
      </span>
    </li>
  );
}
