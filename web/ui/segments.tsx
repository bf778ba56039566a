import type { ReactNode } from 'react';

interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
}

/** A few choices beside each other; one is chosen. */
export function Segments<Value extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  readonly label: string;
  readonly choices: readonly Choice<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}) {
  return (
    <fieldset
      aria-label={label}
      className="inline-flex max-w-full min-w-0 gap-0.5 overflow-x-auto rounded-control bg-quiet-t p-0.5"
    >
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className={`inline-flex h-6.5 items-center gap-1.5 rounded-[6px] px-2.5 text-12 font-medium whitespace-nowrap max-md:h-10 max-md:min-w-11 max-md:justify-center max-md:px-2 ${
            choice.value === value ? 'segment-on text-ink' : 'text-ink-2'
          }`}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
