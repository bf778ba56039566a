import { type TextareaHTMLAttributes, useId } from 'react';
import { ErrorText } from './error-text.tsx';
import { useFieldError } from './form-state.ts';

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | null | undefined;
}

/** A text of several lines, with its label. */
export function TextArea({ label, hint, error: ownError = null, className = '', ...area }: TextAreaProps) {
  const id = useId();
  const formError = useFieldError(area.name);
  const error = ownError ?? formError;
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-13 font-medium">
        {label}
      </label>
      <textarea
        rows={4}
        {...area}
        id={id}
        aria-invalid={error !== null}
        aria-describedby={hint === undefined && error === null ? undefined : `${id}-about`}
        className={`block w-full rounded-control border bg-surface px-2.5 py-2 text-13 max-md:text-16 ${
          error === null ? 'border-control' : 'border-down-g'
        } ${className}`}
      />
      <div id={`${id}-about`} className="empty:hidden">
        <ErrorText>{error}</ErrorText>
        {hint !== undefined && <p className="text-12 text-ink-3">{hint}</p>}
      </div>
    </div>
  );
}
