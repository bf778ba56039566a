import type { ReactNode } from 'react';

/** A filter of a list. */
export function FilterChip({
  isOn,
  onClick,
  children,
}: {
  readonly isOn: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={`inline-flex h-7 flex-none items-center gap-1.5 rounded-full border px-2.5 text-12 font-medium whitespace-nowrap max-md:h-9 max-md:px-3 ${
        isOn ? 'border-solid bg-solid text-on-solid' : 'border-line-2 bg-surface text-ink-2 hover:bg-sunken'
      }`}
    >
      {children}
    </button>
  );
}
