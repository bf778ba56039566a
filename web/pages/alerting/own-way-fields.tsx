import { X } from 'lucide-react';
import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, use, useId } from 'react';
import {
  MAX_ACK_SECONDS,
  MAX_AGAIN,
  MAX_POLICY_SECONDS,
  MAX_RUNS,
  MAX_STEP_CHANNELS,
  MAX_STEPS,
  MIN_ACK_SECONDS,
  MIN_AGAIN_SECONDS,
  MIN_WAIT_SECONDS,
  USUAL_AGAIN_MOST,
} from '../../../src/domain/policy/policy-limits.ts';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { AddButton } from '../../ui/add-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { FormContext, useFieldError } from '../../ui/form-state.ts';
import { SelectBox } from '../../ui/select.tsx';
import type { Alerting } from './choice.ts';
import { fieldsOf, type Rules, type Step } from './own-way.ts';

const t = m.alerts.ownWays;

const INPUT =
  'min-h-8.5 rounded-control border border-control bg-surface px-2 text-13 max-md:min-h-11 max-md:text-16 aria-invalid:border-down-g';

/** A policy as six sentences with fields in them. A form around them sends the fields; the steps are a state. */
export function OwnWayFields({
  rules,
  alerting,
  steps,
  onSteps,
}: {
  /** As they are at first. */
  readonly rules: Rules;
  readonly alerting: Alerting;
  readonly steps: readonly Step[];
  readonly onSteps: (steps: readonly Step[]) => void;
}) {
  const fields = fieldsOf(rules);
  const box = (name: string) => ({ name, defaultValue: fields[name] });
  return (
    <>
      <Group title={t.badRuns} names={['bad_runs', 'counts']} hint={t.badRunsHint}>
        {t.tellAfter}
        <NumberBox aria-label={t.badRunsLabel} {...box('bad_runs')} min={1} max={MAX_RUNS} placeholder="1" />
        {t.badInARow}
        <Choices aria-label={t.countsLabel} {...box('counts')} options={Object.entries(t.counts)} />
      </Group>
      <Group title={t.wait} names={['wait']}>
        {t.stillDown}
        <MinutesBox
          aria-label={t.waitLabel}
          {...box('wait')}
          min={MIN_WAIT_SECONDS}
          max={MAX_POLICY_SECONDS}
        />
        {t.minutes}
      </Group>
      <Group title={t.hours} names={['hours', 'always_tags']} hint={t.hoursHint}>
        {t.onlyIn}
        <Choices
          aria-label={t.hoursLabel}
          {...box('hours')}
          options={[['', t.anyHour], ...alerting.calendars.map(({ name }): [string, string] => [name, name])]}
        />
        {t.butTags}
        <Box
          aria-label={t.tagsLabel}
          {...box('always_tags')}
          maxLength={TEXT_LIMITS.checkTags}
          autoComplete="off"
          className="w-36"
        />
      </Group>
      <Group title={t.repeat} names={['again', 'again_most']}>
        {t.every}
        <MinutesBox
          aria-label={t.againLabel}
          {...box('again')}
          min={MIN_AGAIN_SECONDS}
          max={MAX_POLICY_SECONDS}
        />
        {t.minutes} {t.until}
        <NumberBox
          aria-label={t.mostLabel}
          {...box('again_most')}
          min={1}
          max={MAX_AGAIN}
          placeholder={String(USUAL_AGAIN_MOST)}
        />
        {t.times}
        <div className="basis-full">
          <Checkbox label={t.eachFailure} name="each_failure" defaultChecked={fields.each_failure !== ''} />
        </div>
      </Group>
      <Steps steps={steps} channels={alerting.channels} onChange={onSteps} />
      <Group title={t.end} names={['good_runs', 'ack_lasts']} hint={t.ackHint}>
        {t.tellUp}
        <NumberBox
          aria-label={t.goodRunsLabel}
          {...box('good_runs')}
          min={1}
          max={MAX_RUNS}
          placeholder="1"
        />
        {t.goodInARow} {t.ackLasts}
        <MinutesBox
          aria-label={t.ackLabel}
          {...box('ack_lasts')}
          min={MIN_ACK_SECONDS}
          max={MAX_ACK_SECONDS}
        />
        {t.minutes}
      </Group>
    </>
  );
}

const GROUP = 'grid min-w-0 gap-1.5 border-t border-line pt-3';
const SENTENCE = 'flex flex-wrap items-center gap-x-1.5 gap-y-1.5 text-13';
const errorId = (name: string | undefined) => `own-way-${name}-error`;

function Group({
  title,
  names,
  hint,
  children,
}: {
  readonly title: string;
  /** The fields whose errors stand below. */
  readonly names: readonly string[];
  readonly hint?: string;
  readonly children: ReactNode;
}) {
  const { errorOf } = use(FormContext);
  return (
    <fieldset className={GROUP}>
      <legend className="float-left text-13 font-medium">{title}</legend>
      <div className={`clear-both ${SENTENCE}`}>{children}</div>
      {names.map((name) => (
        <ErrorText key={name} id={errorId(name)}>
          {errorOf(name)}
        </ErrorText>
      ))}
      {hint !== undefined && <p className="text-12 text-ink-3">{hint}</p>}
    </fieldset>
  );
}

/** What a field with an error says to screen readers. */
function useError(name: string | undefined) {
  const isWrong = useFieldError(name) !== null;
  return { 'aria-invalid': isWrong, 'aria-describedby': isWrong ? errorId(name) : undefined };
}

function Box({ className = '', ...input }: InputHTMLAttributes<HTMLInputElement>) {
  return <input {...input} {...useError(input.name)} className={`${INPUT} ${className}`} />;
}

const NumberBox = (input: InputHTMLAttributes<HTMLInputElement>) => (
  <Box type="number" inputMode="decimal" {...input} className="w-18" />
);

/** The limits are seconds. */
const MinutesBox = ({
  min,
  max,
  ...input
}: InputHTMLAttributes<HTMLInputElement> & { readonly min: number; readonly max: number }) => (
  <NumberBox {...input} step="any" min={min / 60} max={max / 60} />
);

function Choices({
  options,
  ...select
}: SelectHTMLAttributes<HTMLSelectElement> & { readonly options: readonly (readonly [string, string])[] }) {
  const error = useError(select.name);
  return (
    <SelectBox
      {...select}
      {...error}
      className={`min-h-8.5 ${error['aria-invalid'] ? 'border-down-g!' : ''}`}
    >
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </SelectBox>
  );
}

function Steps({
  steps,
  channels,
  onChange,
}: {
  readonly steps: readonly Step[];
  readonly channels: Alerting['channels'];
  readonly onChange: (steps: readonly Step[]) => void;
}) {
  const error = useFieldError('then');
  const later = (steps.at(-1)?.minutes ?? 0) + 15;
  return (
    <fieldset name="then" className={GROUP}>
      <legend className="float-left text-13 font-medium">{t.thenTell}</legend>
      <p className="clear-both text-12 text-ink-3">{t.thenHint}</p>
      {steps.length > 0 && (
        <ol className="grid gap-2.5">
          {steps.map((step, place) => (
            <StepRow
              // Steps have nothing else by which they are told apart.
              // biome-ignore lint/suspicious/noArrayIndexKey: all of a row is in the state
              key={place}
              place={place + 1}
              step={step}
              channels={channels}
              onChange={(next) => onChange(steps.with(place, next))}
              onRemove={() => onChange(steps.toSpliced(place, 1))}
            />
          ))}
        </ol>
      )}
      <ErrorText id={errorId('then')}>{error}</ErrorText>
      {channels.length === 0 ? (
        <p className="text-12 text-ink-3">{t.noChannels}</p>
      ) : (
        steps.length < MAX_STEPS && (
          <AddButton label={t.addStep} onAdd={() => onChange([...steps, { minutes: later, tell: [] }])} />
        )
      )}
    </fieldset>
  );
}

function StepRow({
  place,
  step,
  channels,
  onChange,
  onRemove,
}: {
  readonly place: number;
  readonly step: Step;
  readonly channels: Alerting['channels'];
  readonly onChange: (step: Step) => void;
  readonly onRemove: () => void;
}) {
  const id = useId();
  const { minutes, tell } = step;
  const chosen = channels.filter(({ uuid }) => tell.includes(uuid));
  const others = channels.filter(({ uuid }) => !tell.includes(uuid));
  const isEmpty = chosen.length === 0;
  return (
    <li className="grid gap-1">
      <div className="flex items-start gap-1.5">
        <div className={`min-w-0 flex-1 ${SENTENCE}`}>
          {t.after}
          <input
            type="number"
            inputMode="decimal"
            aria-label={t.stepLabel(place)}
            required
            step="any"
            min={0}
            max={MAX_POLICY_SECONDS / 60}
            value={Number.isNaN(minutes) ? '' : minutes}
            onChange={({ target }) => onChange({ ...step, minutes: target.valueAsNumber })}
            className={`${INPUT} w-18`}
          />
          {t.minutes} {t.tell}
          {chosen.map((channel) => (
            <span
              key={channel.uuid}
              className="inline-flex min-w-0 items-center rounded-control bg-sunken pl-2 [overflow-wrap:anywhere]"
            >
              {shownName(channel)}
              <button
                type="button"
                aria-label={t.removeFrom(shownName(channel), place)}
                className="grid size-7 flex-none place-items-center rounded-control hover:bg-hover max-md:size-11"
                onClick={() => onChange({ ...step, tell: tell.filter((one) => one !== channel.uuid) })}
              >
                <X className="size-3.5" />
              </button>
            </span>
          ))}
          {others.length > 0 && tell.length < MAX_STEP_CHANNELS && (
            <SelectBox
              aria-label={t.tellLabel(place)}
              aria-invalid={isEmpty}
              aria-describedby={isEmpty ? `${id}-error` : undefined}
              className={`min-h-8.5 ${isEmpty ? 'border-down-g!' : ''}`}
              value=""
              onChange={({ target: { value } }) =>
                value !== '' && onChange({ ...step, tell: [...tell, value] })
              }
            >
              <option value="">{t.addChannel}</option>
              {others.map((channel) => (
                <option key={channel.uuid} value={channel.uuid}>
                  {shownName(channel)}
                </option>
              ))}
            </SelectBox>
          )}
        </div>
        <Button kind="ghost" size="icon" aria-label={t.removeStep(place)} onClick={onRemove}>
          <X className="size-4" />
        </Button>
      </div>
      <ErrorText id={`${id}-error`}>{isEmpty ? t.chooseChannel : null}</ErrorText>
    </li>
  );
}
