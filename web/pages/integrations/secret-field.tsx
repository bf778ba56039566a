import { type ComponentProps, useState } from 'react';
import { m } from '../../messages/index.ts';
import { Field } from '../../ui/field.tsx';

const words = m.integrations.setUp;

/** A field whose stored value nobody reads again. It stays until somebody replaces it. */
export function SecretField({
  stored,
  value,
  onValue,
  hint,
  ...field
}: Omit<ComponentProps<typeof Field>, 'value' | 'onChange' | 'aside'> & {
  /** The visible part of the stored value. Null: nothing is stored. */
  readonly stored: string | null;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const [isReplaced, setIsReplaced] = useState(false);
  const isKept = stored !== null && !isReplaced;
  const swap = () => {
    setIsReplaced(!isReplaced);
    onValue(isReplaced ? (stored ?? '') : '');
  };
  return (
    <Field
      {...field}
      autoComplete="off"
      readOnly={isKept}
      value={value}
      hint={isKept ? words.stored : hint}
      className={`font-mono ${isKept ? 'bg-sunken text-ink-3' : ''}`}
      onChange={(event) => onValue(event.target.value)}
      {...(stored !== null && {
        aside: (
          <button type="button" className="touch text-12 font-medium text-link" onClick={swap}>
            {isReplaced ? words.keepStored : words.replace}
          </button>
        ),
      })}
    />
  );
}
