import { m } from '../messages/index.ts';

/** A bell whose axis is the now line. */
export function Logo() {
  return (
    <div className="flex items-center gap-2.5 text-14 font-semibold">
      <LogoMark />
      {m.product}
    </div>
  );
}

export function LogoMark() {
  return (
    <svg
      className="size-5.5 flex-none"
      viewBox="0 0 22 22"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M3 16.5c1.7-1.5 2.3-3.7 2.3-7a5.7 5.7 0 0 1 11.4 0c0 3.3.6 5.5 2.3 7z" />
      <path d="M11 1.5v19" />
    </svg>
  );
}
