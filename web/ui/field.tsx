import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react';
import { ErrorText } from './error-text.tsx';
import { useFieldError } from './form-state.ts';

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  /** Whether only screen readers are told the label, because it stands elsewhere already. */
  readonly isLabelHidden?: boolean;
  readonly hint?: ReactNode;
  /** The error of the value, said once under the field. */
  readonly error?: string | null | undefined;
  /** Stands at the end of the label's line. */
  readonly aside?: ReactNode;
  readonly inputRef?: Ref<HTMLInputElement>;
}

/** An input with its label. */
export function Field({
  label,
  isLabelHidden = false,
  hint,
  error: ownError = null,
  aside,
  inputRef,
  className = '',
  ...input
}: FieldProps) {
  const id = useId();
  const formError = useFieldError(input.name);
  const error = ownError ?? formError;
  const described = [
    ...(error === null ? [] : [`${id}-error`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ];
  return (
    <div className="grid content-start gap-1.5">
      <div className={isLabelHidden ? 'sr-only' : 'flex items-center justify-between'}>
        <label htmlFor={id} className="text-13 font-medium">
          {label}
        </label>
        {aside}
      </div>
      <input
        {...input}
        ref={inputRef}
        id={id}
        aria-invalid={error !== null}
        aria-describedby={described.length > 0 ? described.join(' ') : undefined}
        className={`block w-full min-h-10 rounded-control border bg-surface px-2.5 text-13 max-md:min-h-11 max-md:text-16 ${
          error === null ? 'border-control' : 'border-down-g'
        } ${className}`}
      />
      <ErrorText id={`${id}-error`}>{error}</ErrorText>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-12 text-ink-3">
          {hint}
        </p>
      )}
    </div>
  );
}
