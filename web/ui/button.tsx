import type { ButtonHTMLAttributes } from 'react';

const KINDS = {
  primary: 'border-solid bg-solid text-on-solid',
  plain: 'border-line-2 bg-surface text-ink hover:bg-sunken',
  ghost: 'border-transparent bg-transparent text-ink-2 shadow-none hover:bg-hover',
};

const SIZES = { medium: 'h-16 text-13', large: 'h-20 text-13 max-md:h-22 max-md:text-14' };

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: keyof typeof KINDS;
  readonly size?: keyof typeof SIZES;
  /** Something is under way that the button has begun. */
  readonly isBusy?: boolean;
}

export function Button({
  kind = 'plain',
  size = 'medium',
  isBusy = false,
  className = '',
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={isBusy || rest.disabled}
      aria-busy={isBusy}
      className={`inline-flex items-center justify-center gap-3 rounded-control border px-6 font-medium whitespace-nowrap shadow-1 transition-colors duration-120 disabled:cursor-not-allowed disabled:opacity-45 ${KINDS[kind]} ${SIZES[size]} ${className}`}
    />
  );
}
