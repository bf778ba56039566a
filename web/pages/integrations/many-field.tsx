import { useId, useState } from 'react';
import { MAX_TOGETHER_ABOVE } from '../../../src/domain/alert/together.ts';
import { m } from '../../messages/index.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { FieldError } from '../../ui/form.tsx';

const words = m.integrations.setUp.many;

/** So many go out one by one if somebody switches it on. */
const USUAL_ABOVE = 5;

/** From how many messages on an integration gets one, as a sentence with two numbers. */
export function ManyField({
  settings,
  onSettings,
}: {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly onSettings: (changed: Readonly<Record<string, unknown>>) => void;
}) {
  const above = Number(settings.together_above);
  const span = Number(settings.together_seconds);
  const isOn = above > 0;
  return (
    <fieldset className="grid min-w-0 gap-1.5">
      <legend className="pb-1.5 text-13 font-medium">{words.label}</legend>
      <Checkbox
        label={words.one}
        hint={isOn ? words.says(above, span) : words.off}
        name="settings.together_above"
        checked={isOn}
        onChange={({ target: { checked } }) => onSettings({ together_above: checked ? USUAL_ABOVE : 0 })}
      />
      {isOn && (
        <p className="flex flex-wrap items-center gap-x-1.5 gap-y-2 pl-6 text-13">
          {words.from}
          <NumberInput
            label={words.fromLabel}
            value={above + 1}
            least={2}
            most={MAX_TOGETHER_ABOVE + 1}
            onValue={(value) => onSettings({ together_above: value - 1 })}
          />
          <span className="-ml-1">{words.th(above + 1)}</span>
          {words.within}
          <span className="flex items-center gap-1.5">
            <NumberInput
              label={words.withinLabel}
              value={span}
              least={10}
              most={600}
              onValue={(value) => onSettings({ together_seconds: value })}
            />
            {words.seconds}{' '}
          </span>
          {words.end}
        </p>
      )}
      <FieldError name="settings.together_above" />
      <FieldError name="settings.together_seconds" />
    </fieldset>
  );
}

/** A number within a sentence. What is no number in the range is not taken. */
function NumberInput({
  label,
  value,
  least,
  most,
  onValue,
}: {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly onValue: (value: number) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <input
        id={id}
        type="number"
        required
        min={least}
        max={most}
        step={1}
        value={typed ?? String(value)}
        onBlur={() => setTyped(null)}
        onChange={({ target }) => {
          const given = Number(target.value);
          setTyped(target.value);
          if (Number.isInteger(given) && given >= least && given <= most) onValue(given);
        }}
        className="min-h-10 w-18 rounded-control border border-control bg-surface px-2 text-13 max-md:min-h-11 max-md:text-16"
      />
    </>
  );
}
