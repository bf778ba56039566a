import type { ReactNode } from 'react';

/** A setting: its name and why at the left, the control at the right. */
export function SettingRow({
  title,
  lead,
  children,
}: {
  readonly title: ReactNode;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex items-center gap-4 border-b border-line py-3 last:border-b-0 max-md:flex-col max-md:items-stretch max-md:gap-2">
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {lead !== undefined && <p className="text-12 text-ink-3">{lead}</p>}
      </div>
      <div className="flex min-w-0 flex-none items-center gap-2 max-md:flex-wrap">{children}</div>
    </div>
  );
}
