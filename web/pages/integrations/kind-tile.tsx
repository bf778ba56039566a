/** Stands for a kind. */
export function KindTile({ label, isOff = false }: { readonly label: string; readonly isOff?: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={`grid size-14 flex-none place-items-center rounded-[7px] text-11 font-semibold ${
        isOff ? 'border border-line-2 text-ink-3' : 'bg-quiet-t text-ink-2'
      }`}
    >
      {label.slice(0, 2)}
    </span>
  );
}
