import { createLink } from '@tanstack/react-router';
import type { ButtonHTMLAttributes, ComponentProps } from 'react';

const KINDS = {
  primary: 'border-solid bg-solid text-on-solid',
  plain: 'border-line-2 bg-surface text-ink hover:bg-sunken',
  ghost: 'border-transparent bg-transparent text-ink-2 shadow-none hover:bg-hover',
  danger: 'border-line-2 bg-surface text-down hover:bg-down-t',
  ghostDanger: 'border-transparent bg-transparent text-down shadow-none hover:bg-hover',
};

const SIZES = {
  small: 'h-6.5 rounded-[6px] px-2 text-12 max-md:h-8 max-md:px-2.5',
  medium: 'h-8 rounded-control px-3 text-13 max-md:h-10',
  large: 'h-10 rounded-control px-3 text-13 max-md:h-11 max-md:text-14',
  /** Square, for an icon alone. Give it an `aria-label`. */
  icon: 'size-8 rounded-control max-md:size-10',
  smallIcon: 'size-6.5 rounded-[6px] max-md:size-8',
};

interface Look {
  readonly kind?: keyof typeof KINDS;
  readonly size?: keyof typeof SIZES;
}

const look = ({ kind = 'plain', size = 'medium' }: Look, className: string) =>
  `touch inline-flex shrink-0 items-center justify-center gap-1.5 border font-medium whitespace-nowrap shadow-1 transition-colors duration-120 ${KINDS[kind]} ${SIZES[size]} ${className}`;

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement>, Look {
  /** Something is under way that the button has begun. */
  readonly isBusy?: boolean;
}

export function Button({ kind, size, isBusy = false, className = '', ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={isBusy || rest.disabled}
      aria-busy={isBusy}
      className={`disabled:cursor-not-allowed disabled:opacity-45 ${look({ ...(kind && { kind }), ...(size && { size }) }, className)}`}
    />
  );
}

/** A link to another page that looks like a button. */
export const ButtonLink = createLink(
  ({ kind, size, className = '', ...rest }: ComponentProps<'a'> & Look) => (
    <a {...rest} className={look({ ...(kind && { kind }), ...(size && { size }) }, className)} />
  ),
);
