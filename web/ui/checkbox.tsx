import { type InputHTMLAttributes, type ReactNode, useId } from 'react';

/** A box with its label beside it. */
export function Checkbox({
  label,
  isLabelHidden = false,
  hint,
  ...input
}: Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
  readonly label: ReactNode;
  readonly isLabelHidden?: boolean;
  readonly hint?: string;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-2 max-md:py-3">
      <input
        {...input}
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.5 size-4 flex-none"
      />
      <div className={isLabelHidden ? 'sr-only' : 'min-w-0'}>
        <label htmlFor={id} className="text-13">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-12 text-ink-3">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
