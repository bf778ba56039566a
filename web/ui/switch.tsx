/** Something that is on or off, and changes at once. */
export function Switch({
  label,
  isOn,
  isBusy = false,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly isBusy?: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      disabled={isBusy}
      onClick={() => onChange(!isOn)}
      // The touch area is larger than what is seen.
      className={`relative h-9 w-15 flex-none rounded-full transition-colors duration-120 after:absolute after:-inset-4 ${isOn ? 'bg-solid' : 'bg-control'}`}
    >
      <span
        className={`absolute top-1 size-7 rounded-full transition-[left] duration-120 ${isOn ? 'left-7 bg-on-solid' : 'left-1 bg-surface'}`}
      />
    </button>
  );
}
