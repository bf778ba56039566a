import type { ReactNode } from 'react';
import { m } from '../messages/index.ts';

/** Cards have room for it again. */
const EXTRA = 'md:max-lg:hidden';

/** A table with a frame. On phones each row is a card. */
export function Table({
  label,
  columns,
  extra = [],
  hasActions = false,
  children,
}: {
  readonly label: string;
  readonly columns: readonly string[];
  /** Columns that are left out where all do not fit, as at `Cell`. */
  readonly extra?: readonly string[];
  /** Whether the last cell of a row has its buttons. Only screen readers are told of that column. */
  readonly hasActions?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <table aria-label={label} className="w-full border-collapse text-left max-md:block">
        <thead className="max-md:sr-only">
          <tr className="border-b border-line">
            {columns.map((name) => (
              <th
                key={name}
                scope="col"
                className={`px-4 py-2 text-12 font-medium whitespace-nowrap text-ink-3 ${extra.includes(name) ? EXTRA : ''}`}
              >
                {name}
              </th>
            ))}
            {hasActions && (
              <th scope="col" className="px-4 py-2 text-12">
                <span className="sr-only">{m.controls.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-md:block">{children}</tbody>
      </table>
    </div>
  );
}

export function TableRow({ children }: { readonly children: ReactNode }) {
  return (
    <tr className="max-md:flex max-md:flex-wrap max-md:items-center max-md:gap-x-3.5 max-md:gap-y-2 max-md:px-4 max-md:py-3.5">
      {children}
    </tr>
  );
}

/** `isWide` gives it a line of its own on phones. */
export function Cell({
  isWide = false,
  isEnd = false,
  isExtra = false,
  span,
  children,
}: {
  readonly isWide?: boolean;
  /** Stands at the end of the row. */
  readonly isEnd?: boolean;
  /** Left out where all columns do not fit. */
  readonly isExtra?: boolean;
  /** The number of columns that it covers. */
  readonly span?: number;
  readonly children: ReactNode;
}) {
  return (
    <td
      colSpan={span}
      className={`min-w-0 px-4 py-2.5 align-middle max-md:p-0 ${isWide ? 'max-md:basis-full' : ''} ${isEnd ? 'text-right whitespace-nowrap max-md:ml-auto' : ''} ${isExtra ? EXTRA : ''}`}
    >
      {children}
    </td>
  );
}
