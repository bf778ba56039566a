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
      className={`relative h-4.5 w-7.5 flex-none rounded-full transition-colors duration-120 ${isOn ? 'bg-solid' : 'bg-control'}`}
    >
      <span
        className={`absolute top-0.5 size-3.5 rounded-full transition-[left] duration-120 ${isOn ? 'left-3.5 bg-on-solid' : 'left-0.5 bg-surface'}`}
      />
    </button>
  );
}
