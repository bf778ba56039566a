import { ChevronsUpDown } from 'lucide-react';
import { type ReactNode, type SelectHTMLAttributes, useId } from 'react';
import { ErrorText } from './error-text.tsx';
import { useFieldError } from './form-state.ts';

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  readonly label: string;
  /** Whether only screen readers are told the label, because it stands elsewhere already. */
  readonly isLabelHidden?: boolean;
  readonly hint?: string | undefined;
  readonly error?: string | null | undefined;
  readonly options?: readonly (readonly [value: string, words: string])[];
  readonly children?: ReactNode;
}

/** A choice out of a list, with its label. */
export function Select({
  label,
  isLabelHidden = false,
  hint,
  error: ownError = null,
  className = '',
  options = [],
  children,
  ...select
}: SelectProps) {
  const id = useId();
  const formError = useFieldError(select.name);
  const error = ownError ?? formError;
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-13 font-medium'}>
        {label}
      </label>
      <SelectBox
        {...select}
        id={id}
        aria-invalid={error !== null}
        aria-describedby={hint === undefined && error === null ? undefined : `${id}-about`}
        className={`min-h-8.5 ${error === null ? '' : 'border-down-g!'} ${className}`}
      >
        {children}
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </SelectBox>
      <div id={`${id}-about`} className="empty:hidden">
        <ErrorText>{error}</ErrorText>
        {hint !== undefined && <p className="text-12 text-ink-3">{hint}</p>}
      </div>
    </div>
  );
}

/** The list alone, with its label elsewhere. Browsers draw arrows of their own, each another one. */
export function SelectBox({ className = '', ...select }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <div className="relative min-w-0">
      <select
        {...select}
        className={`block w-full min-w-0 appearance-none truncate rounded-control border border-control bg-surface pr-7 pl-2.5 text-13 max-md:min-h-11 max-md:text-16 ${className}`}
      />
      <ChevronsUpDown className="pointer-events-none absolute inset-y-0 right-2 my-auto size-3.5 text-ink-3" />
    </div>
  );
}
