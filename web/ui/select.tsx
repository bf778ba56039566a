import { type ReactNode, type SelectHTMLAttributes, useId } from 'react';
import { ErrorText } from './error-text.tsx';

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  readonly label: string;
  /** Whether only screen readers are told the label, because it stands elsewhere already. */
  readonly isLabelHidden?: boolean;
  readonly hint?: string | undefined;
  readonly error?: string | null | undefined;
  readonly children: ReactNode;
}

/** A choice out of a list, with its label. */
export function Select({
  label,
  isLabelHidden = false,
  hint,
  error = null,
  className = '',
  children,
  ...select
}: SelectProps) {
  const id = useId();
  return (
    <div className="grid content-start gap-3">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-13 font-medium'}>
        {label}
      </label>
      <select
        {...select}
        id={id}
        aria-invalid={error !== null}
        aria-describedby={hint === undefined && error === null ? undefined : `${id}-about`}
        className={`block min-h-17 w-full min-w-0 rounded-control border bg-surface px-5 text-13 max-md:min-h-22 max-md:text-16 ${
          error === null ? 'border-control' : 'border-down-g'
        } ${className}`}
      >
        {children}
      </select>
      <div id={`${id}-about`} className="empty:hidden">
        {error !== null && <ErrorText>{error}</ErrorText>}
        {hint !== undefined && <p className="text-12 text-ink-3">{hint}</p>}
      </div>
    </div>
  );
}
