import type { ReactNode } from 'react';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import type { Settings } from './settings.ts';

type Rules = Settings['run_rules'];
type NumberRule = NonNullable<Rules['numbers']>[number];

const MAX_NUMBERS = 10;
/** Seconds of the unit of each field. */
const SPANS = { begin_within: 60, end_within: 60, early: 60, min_run_time: 1 } as const;
type Span = keyof typeof SPANS;

/** Rules that few jobs need. They open by themselves where one is set. */
export function RunFields({
  rules,
  isOpen,
  children,
  onChange,
}: {
  readonly rules: Rules;
  /** Whether something else of it is set. */
  readonly isOpen: boolean;
  /** Further fields. */
  readonly children: ReactNode;
  readonly onChange: (rules: Rules) => void;
}) {
  const texts = m.checkEditor.runs;
  const set = <Name extends keyof Rules>(name: Name, value: Rules[Name] | undefined) => {
    const { [name]: _before, ...others } = rules;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  const span = (name: Span) => (
    <Field
      type="number"
      inputMode="decimal"
      min={0}
      step="any"
      label={texts.labels[name]}
      hint={texts.hints[name]}
      value={rules[name] === undefined ? '' : rules[name] / SPANS[name]}
      onChange={({ target: { valueAsNumber: value } }) =>
        set(name, Number.isNaN(value) ? undefined : Math.round(value * SPANS[name]))
      }
    />
  );
  const { numbers = [] } = rules;
  const setNumbers = (next: readonly NumberRule[]) =>
    set('numbers', next.length === 0 ? undefined : [...next]);
  return (
    <details open={isOpen || Object.keys(rules).length > 0} className="border-t border-line pt-4.5">
      <summary className="cursor-pointer text-14 font-semibold">
        {texts.title} <span className="text-12 font-normal text-ink-3">· {texts.lead}</span>
      </summary>
      <div className="mt-4 grid gap-4">
        <p className="text-12">
          <DocsLink path="runs/">{m.docs.runs}</DocsLink>
        </p>
        <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
          {span('begin_within')}
          {span('end_within')}
          {span('early')}
          <Field
            label={texts.labels.exit_map}
            hint={texts.hints.exit_map}
            value={rules.exit_map ?? ''}
            spellCheck={false}
            onChange={({ target: { value } }) => set('exit_map', value === '' ? undefined : value)}
          />
          {span('min_run_time')}
          <Select
            label={texts.labels.on_short}
            value={rules.on_short ?? 'warn'}
            disabled={rules.min_run_time === undefined}
            onChange={({ target: { value } }) => set('on_short', value === 'fail' ? 'fail' : undefined)}
          >
            <option value="warn">{texts.warn}</option>
            <option value="fail">{texts.fail}</option>
          </Select>
        </div>
        <fieldset className="grid gap-2.5">
          <legend className="mb-1.5 text-13 font-medium">{texts.labels.numbers}</legend>
          <p className="text-12 text-ink-3">{texts.hints.numbers}</p>
          {numbers.map((rule, place) => (
            <NumberFields
              // Rows have no other identity while their names are typed.
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place
              key={place}
              rule={rule}
              onChange={(next) => setNumbers(numbers.with(place, next))}
              onRemove={() => setNumbers(numbers.toSpliced(place, 1))}
            />
          ))}
          <div>
            <Button
              size="small"
              disabled={numbers.length >= MAX_NUMBERS}
              onClick={() => setNumbers([...numbers, { name: '', on: 'warn', missing: 'ignore' }])}
            >
              {texts.addNumber}
            </Button>
          </div>
        </fieldset>
        {children}
      </div>
    </details>
  );
}

function NumberFields({
  rule,
  onChange,
  onRemove,
}: {
  readonly rule: NumberRule;
  readonly onChange: (rule: NumberRule) => void;
  readonly onRemove: () => void;
}) {
  const texts = m.checkEditor.runs;
  const bound = (name: 'min' | 'max') => (
    <Field
      type="number"
      step="any"
      label={texts.number[name]}
      value={rule[name] ?? ''}
      onChange={({ target: { valueAsNumber: value } }) => {
        const { [name]: _before, ...others } = rule;
        onChange(Number.isNaN(value) ? others : { ...others, [name]: value });
      }}
    />
  );
  return (
    <div className="grid grid-cols-[1fr_1fr_1fr_1fr_1fr_auto] items-end gap-2.5 max-md:grid-cols-2">
      <Field
        label={texts.number.name}
        value={rule.name}
        spellCheck={false}
        onChange={({ target: { value } }) => onChange({ ...rule, name: value })}
      />
      {bound('min')}
      {bound('max')}
      <Select
        label={texts.number.on}
        value={rule.on}
        onChange={({ target: { value } }) => onChange({ ...rule, on: value === 'fail' ? 'fail' : 'warn' })}
      >
        <option value="warn">{texts.warn}</option>
        <option value="fail">{texts.fail}</option>
      </Select>
      <Select
        label={texts.number.missing}
        value={rule.missing}
        onChange={({ target: { value } }) =>
          onChange({ ...rule, missing: value === 'fail' || value === 'warn' ? value : 'ignore' })
        }
      >
        <option value="ignore">{texts.ignore}</option>
        <option value="warn">{texts.warn}</option>
        <option value="fail">{texts.fail}</option>
      </Select>
      <Button onClick={onRemove}>{texts.removeNumber}</Button>
    </div>
  );
}
