/** Stands for a person beside their address. */
export function Avatar({ email }: { readonly email: string }) {
  return (
    <span
      aria-hidden="true"
      className="grid size-6 flex-none place-items-center rounded-full bg-quiet-t text-[10px] font-semibold text-ink-2"
    >
      {email.slice(0, 2).toUpperCase()}
    </span>
  );
}
