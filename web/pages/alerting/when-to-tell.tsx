import { type ReactNode, use, useId, useState } from 'react';
import { AT_ONCE_NAME, type PresetName } from '../../../src/domain/policy/presets.ts';
import {
  firstWay,
  nextOf,
  PRESET_NAMES,
  secondsOf,
  type Way,
  wayOf,
  withNext,
  withSeconds,
} from '../../../src/domain/policy/ways.ts';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { ErrorText } from '../../ui/error-text.tsx';
import { FormContext } from '../../ui/form-state.ts';
import { SelectBox } from '../../ui/select.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import {
  type Alerting,
  faultOf,
  MINUTES_FIELD,
  minutesRange,
  WORKING_HOURS,
  wayWords,
  workingHours,
} from './choice.ts';
import type { Choice } from './chosen.ts';
import { hoursWords, usualHours } from './hours.ts';
import { HoursFields } from './hours-fields.tsx';
import { OwnWaysLink } from './own-ways-link.tsx';

const t = m.alerts.choice;

const INPUT =
  'min-h-8.5 rounded-control border border-control bg-surface px-2 text-13 max-md:min-h-11 max-md:text-16 aria-invalid:border-down-g';

/**
 * The choice when to tell: of a check, of checks with a tag, or of a project. The minutes of a way that is not chosen can
 * be changed, too: that chooses it.
 */
export function WhenToTell({
  project,
  alerting,
  choice,
  above,
  isTitleHidden = false,
  errorOf = () => null,
  onChange,
  children,
}: {
  /** Its UUID. */
  readonly project: string;
  readonly alerting: Alerting;
  readonly choice: Choice;
  /** What counts without a choice, in words. Null: something must be chosen. */
  readonly above: string | null;
  readonly isTitleHidden?: boolean;
  /** What the server has said of a rule. */
  readonly errorOf?: (field: string) => string | null;
  readonly onChange: (choice: Choice) => void;
  /** What the choice means for the check. It stands below. */
  readonly children?: ReactNode;
}) {
  const id = useId();
  const form = use(FormContext);
  const fault = faultOf(choice);
  const said = (field: string) =>
    (fault?.field === field ? fault.words : null) ?? errorOf(field) ?? form.errorOf(field);
  const own = alerting.policies.filter((policy) => wayOf(policy) === null);
  const radio = { group: id };
  const isNamed = (name: string) => choice.is === 'named' && choice.name === name;
  const named = (name: string) => () => onChange({ is: 'named', name });
  const ownName = own.find(({ name }) => isNamed(name))?.name;
  return (
    <fieldset className="grid min-w-0 gap-0.5 max-md:gap-1.5">
      <legend
        className={
          isTitleHidden ? 'sr-only' : 'mb-2 w-full border-t border-line pt-4.5 text-14 font-semibold'
        }
      >
        {m.alerts.whenToTell.title}
      </legend>
      {above !== null && (
        <Row {...radio} name={above} isChosen={isNamed('')} onChoose={named('')}>
          {above}
        </Row>
      )}
      <Row {...radio} name={m.alerts.atOnce} isChosen={isNamed(AT_ONCE_NAME)} onChoose={named(AT_ONCE_NAME)}>
        {m.alerts.atOnce}
      </Row>
      {PRESET_NAMES.map((preset) => (
        <WayRow
          key={preset}
          {...radio}
          preset={preset}
          alerting={alerting}
          chosen={choice.is === 'way' && choice.way.preset === preset ? choice : null}
          said={said}
          onChange={onChange}
        />
      ))}
      {own.length > 0 && (
        <Row
          {...radio}
          name={t.own}
          isChosen={ownName !== undefined}
          onChoose={named(ownName ?? own[0]?.name ?? '')}
        >
          {t.own}:{' '}
          <SelectBox
            aria-label={t.ownWay}
            className="min-h-8.5 max-w-60"
            value={ownName ?? own[0]?.name ?? ''}
            onChange={(event) => named(event.target.value)()}
          >
            {own.map(({ uuid, name }) => (
              <option key={uuid} value={name}>
                {name}
              </option>
            ))}
          </SelectBox>
        </Row>
      )}
      <p className={`${BESIDE_RADIO} pb-1`}>
        <OwnWaysLink project={project} isFirst={own.length === 0} />
      </p>
      {children}
    </fieldset>
  );
}

/** Where the words beside a radio button begin. */
const BESIDE_RADIO = 'ml-6 max-md:ml-7.5';

interface RowProps {
  readonly group: string;
  /** The sentence, as screen readers say it. */
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

function Row({ group, name, isChosen, onChoose, children }: RowProps) {
  return (
    <div className="flex items-start gap-2">
      <label className="grid min-h-9 flex-none place-items-center max-md:-ml-3.5 max-md:-mr-2 max-md:size-11">
        <input
          type="radio"
          name={group}
          aria-label={name}
          checked={isChosen}
          onChange={onChoose}
          className="size-4"
        />
      </label>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a larger place to click on, beside the button itself */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button beside it takes keys */}
      <div
        className="flex min-h-9 min-w-0 flex-1 flex-wrap items-center gap-x-1.5 gap-y-1 text-13 max-md:min-h-11"
        onClick={onChoose}
      >
        {children}
      </div>
    </div>
  );
}

function WayRow({
  group,
  preset,
  alerting,
  chosen,
  said,
  onChange,
}: {
  readonly group: string;
  readonly preset: PresetName;
  readonly alerting: Alerting;
  readonly chosen: Extract<Choice, { is: 'way' }> | null;
  readonly said: (field: string) => string | null;
  readonly onChange: (choice: Choice) => void;
}) {
  const id = useId();
  const { tz } = use(PersonsTimes);
  // What was written stays while another way is looked at.
  const [written, setWritten] = useState<Way | null>(null);
  const way = chosen?.way ?? written ?? firstWay(preset, alerting.policies);
  const calendar = preset === WORKING_HOURS ? workingHours(alerting) : undefined;
  const isAsked = preset === WORKING_HOURS && calendar === undefined;
  const hours = chosen?.hours ?? usualHours(tz);
  const set = (next: Way) => {
    setWritten(next);
    onChange({ is: 'way', way: next, ...(isAsked && { hours }) });
  };
  const fields = [MINUTES_FIELD[preset], ...Object.keys(way.rules)].filter((field) => field !== undefined);
  const errorAt = (field: string) => (chosen === null ? null : said(field));
  const wrong = fields.find((field) => errorAt(field) !== null);
  const error = wrong === undefined ? null : errorAt(wrong);
  const control = (field: string | undefined) => ({
    ...{ way, onChange: set },
    error: wrong !== undefined && wrong === field ? `${id}-error` : undefined,
  });
  const hint = t.hints[preset];
  return (
    <div>
      <Row
        group={group}
        name={wayWords(way, alerting)}
        isChosen={chosen !== null}
        onChoose={() => chosen === null && set(way)}
      >
        {m.alerts.ways[preset].map((part) =>
          typeof part === 'string' ? (
            <span key={part}>{part.trim()}</span>
          ) : part.field === 'minutes' ? (
            <Minutes key={part.field} {...control(MINUTES_FIELD[preset])} />
          ) : part.field === 'tags' ? (
            <Tags key={part.field} {...control('always_tags')} />
          ) : (
            <Next key={part.field} {...control('then')} channels={alerting.channels} />
          ),
        )}
        {calendar !== undefined && <span className="text-12 text-ink-3">{hoursWords(calendar)}</span>}
      </Row>
      <div className={BESIDE_RADIO}>
        {hint !== undefined && <p className="pb-1.5 text-12 text-ink-3">{hint}</p>}
        <ErrorText id={`${id}-error`}>{error}</ErrorText>
        {chosen !== null && isAsked && (
          <div className="my-2 grid max-w-[420px] gap-2 rounded-card border border-line p-3">
            <p className="text-13">{t.hoursOnce}</p>
            <HoursFields hours={hours} onChange={(next) => onChange({ is: 'way', way, hours: next })} />
            <ErrorText>{said('duration')}</ErrorText>
          </div>
        )}
      </div>
    </div>
  );
}

interface ControlProps {
  /** The id of the text of the error in this field. */
  readonly error: string | undefined;
  readonly way: Way;
  readonly onChange: (way: Way) => void;
}

function Minutes({ error, way, onChange }: ControlProps) {
  const { least, most } = minutesRange(way.preset);
  const seconds = secondsOf(way);
  return (
    <input
      type="number"
      inputMode="numeric"
      aria-label={t.minutesOf(String(m.alerts.ways[way.preset][0]).trim())}
      aria-invalid={error !== undefined}
      aria-describedby={error}
      name={MINUTES_FIELD[way.preset]}
      min={least}
      max={most}
      value={Number.isNaN(seconds) ? '' : seconds / 60}
      onChange={({ target: { valueAsNumber } }) => onChange(withSeconds(way, valueAsNumber * 60))}
      className={`${INPUT} w-20`}
    />
  );
}

function Tags({ error, way, onChange }: ControlProps) {
  return (
    <input
      aria-label={t.tags}
      aria-invalid={error !== undefined}
      aria-describedby={error}
      name="always_tags"
      autoComplete="off"
      maxLength={TEXT_LIMITS.checkTags}
      value={way.rules.always_tags ?? ''}
      onChange={({ target: { value } }) => onChange({ ...way, rules: { ...way.rules, always_tags: value } })}
      className={`${INPUT} w-32`}
    />
  );
}

function Next({ error, way, onChange, channels }: ControlProps & Pick<Alerting, 'channels'>) {
  if (channels.length === 0) return <span className="text-ink-3">{t.noChannels}</span>;
  return (
    <SelectBox
      aria-label={t.next}
      aria-invalid={error !== undefined}
      aria-describedby={error}
      name="then"
      className={`min-h-8.5 max-w-60 ${error === undefined ? '' : 'border-down-g!'}`}
      value={nextOf(way)[0] ?? ''}
      onChange={({ target: { value } }) => onChange(withNext(way, value === '' ? [] : [value]))}
    >
      <option value="">{t.choose}</option>
      {channels.map((channel) => (
        <option key={channel.uuid} value={channel.uuid}>
          {shownName(channel)}
        </option>
      ))}
    </SelectBox>
  );
}

/** What counts for a check without a choice of its own, in words. */
export function aboveWords(words: string, tag: string | null): string {
  return t.as(tag === null ? t.project : t.ofTag(tag), words);
}
