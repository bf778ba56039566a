import { use, useId } from 'react';
import { now } from '../../app/clock.ts';
import { m } from '../../messages/index.ts';
import { DocsLink } from '../../ui/docs-link.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Select } from '../../ui/select.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { shortTime } from '../../ui/times.ts';
import { DurationField } from './duration-field.tsx';
import './schedule.css';
import type { Choices, Preview, Settings } from './settings.ts';

const KINDS = ['simple', 'cron', 'oncalendar'] as const;

interface Props {
  readonly settings: Settings;
  readonly choices: Choices;
  readonly preview: Preview | null;
  readonly onChange: (change: Partial<Settings>) => void;
}

/** When the check is expected. */
export function ScheduleFields({ settings, choices, preview, onChange }: Props) {
  const texts = m.checkEditor;
  const { kind } = settings;
  return (
    <section className="grid gap-4.5" aria-labelledby="when">
      <h2 id="when" className="border-t border-line pt-4.5 text-14">
        {texts.when}
      </h2>
      <div>
        <Segments
          label={texts.fields.kind}
          value={kind}
          onChange={(next) => onChange({ kind: next })}
          choices={KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
        />
      </div>
      {kind === 'simple' ? (
        <DurationField
          label={texts.period}
          seconds={settings.timeout}
          onChange={(timeout) => onChange({ timeout })}
        />
      ) : (
        <ExpressionField {...{ settings, choices, preview, onChange }} />
      )}
      <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
        {kind !== 'simple' && <ZoneField {...{ settings, choices, preview, onChange }} />}
        <DurationField
          label={texts.fields.grace}
          seconds={settings.grace}
          hint={texts.graceHint}
          onChange={(grace) => onChange({ grace })}
        />
      </div>
    </section>
  );
}

function ExpressionField({ settings, preview, onChange }: Props) {
  const id = useId();
  const texts = m.checkEditor;
  const { kind, schedule } = settings;
  const fault = preview?.fault ?? null;
  const found = preview?.found ?? null;
  const common = {
    id,
    value: schedule,
    spellCheck: false,
    autoComplete: 'off',
    'aria-invalid': fault !== null,
    'aria-describedby': `${id}-about`,
    onChange: (event: { target: { value: string } }) => onChange({ schedule: event.target.value }),
    className: `expression ${fault === null ? 'border-control' : 'border-down-g'}`,
  };
  return (
    <div className="grid gap-2">
      <label htmlFor={id} className="text-13 font-medium">
        {kind === 'cron' ? texts.cron : texts.oncalendar}
      </label>
      {/* A pasted unit has several lines, which an input would join. */}
      {kind === 'cron' && !schedule.includes('\n') ? (
        <input {...common} onPaste={keepLines(onChange)} />
      ) : (
        <textarea {...common} rows={2} />
      )}
      {kind === 'cron' && preview !== null && <Anatomy preview={preview} />}
      <div id={`${id}-about`} className="grid gap-1.5 text-12 text-ink-3">
        {fault !== null && found === null && (
          <ErrorText>
            <span>
              {fault.message}{' '}
              {fault.suggestion !== null && (
                <button
                  type="button"
                  className="underline underline-offset-2"
                  onClick={() => onChange({ schedule: fault.suggestion ?? '' })}
                >
                  {texts.use(fault.suggestion)}
                </button>
              )}
            </span>
          </ErrorText>
        )}
        {found !== null && (
          <p className="text-ink-2" role="status">
            {texts.found[found.source]}{' '}
            <button
              type="button"
              className="text-link underline underline-offset-2"
              onClick={() =>
                onChange({
                  kind: found.kind,
                  ...(found.kind === 'simple'
                    ? { timeout: found.timeout ?? 60 }
                    : { schedule: found.schedule }),
                  ...(found.tz !== null && { tz: found.tz }),
                })
              }
            >
              {texts.takeFound(found.words)}
            </button>
          </p>
        )}
        <p>
          {texts.pasteHint} <code className="whitespace-nowrap">{texts.wordsExample}</code>{' '}
          <DocsLink path="schedules/">{m.docs.schedules}</DocsLink>
        </p>
      </div>
    </div>
  );
}

/** A text of several lines is kept as it is, so that the schedule can be found in it. */
function keepLines(onChange: Props['onChange']) {
  return (event: { clipboardData: DataTransfer; preventDefault: () => void }) => {
    const text = event.clipboardData.getData('text');
    if (!text.trim().includes('\n')) return;
    event.preventDefault();
    onChange({ schedule: text.trim() });
  };
}

/** The five fields of the expression, the wrong one in red. */
function Anatomy({ preview: { parts, fault } }: { readonly preview: Preview }) {
  if (parts.length !== 5) return null;
  const isWrong = ({ start, end }: { start: number; end: number }) =>
    fault !== null && fault.start < end && fault.end > start;
  return (
    <div className="anatomy" aria-hidden="true">
      {parts.map((part) => (
        <div key={part.name} className={isWrong(part) ? 'wrong' : ''}>
          <code>{part.text}</code>
          <span>{m.checkEditor.parts[part.name] ?? part.name}</span>
        </div>
      ))}
    </div>
  );
}

function ZoneField({ settings, choices, onChange }: Props) {
  const texts = m.checkEditor;
  const style = use(PersonsTimes);
  const current = now();
  const isListed = choices.zones.includes(settings.tz) || choices.usedZones.includes(settings.tz);
  return (
    <Select
      label={texts.fields.tz}
      value={settings.tz}
      hint={texts.zoneNow(shortTime(current, { ...style, tz: settings.tz }, current))}
      className="min-h-10"
      onChange={(event) => onChange({ tz: event.target.value })}
    >
      {!isListed && <option value={settings.tz}>{settings.tz}</option>}
      {choices.usedZones.length > 0 && (
        <optgroup label={texts.usedZones}>
          {choices.usedZones.map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </optgroup>
      )}
      <optgroup label={texts.allZones}>
        {choices.zones
          .filter((zone) => !choices.usedZones.includes(zone))
          .map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
      </optgroup>
    </Select>
  );
}
