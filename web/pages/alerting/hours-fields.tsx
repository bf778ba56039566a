import { useState } from 'react';
import { m } from '../../messages/index.ts';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { DAYS, type Days, type Hours, hoursOf, plainHours } from './hours.ts';

const t = m.alerts.hours;

/** Other hours than those of a few days, by a schedule. */
const OTHER = 'other';

/** When hours begin and end, and in which zone. */
export function HoursFields({
  hours,
  onChange,
}: {
  readonly hours: Hours;
  readonly onChange: (hours: Hours) => void;
}) {
  const [isOther, setIsOther] = useState(plainHours(hours) === null);
  const plain = isOther ? null : plainHours(hours);
  const choose = (name: string) => {
    const days = DAYS.find((one) => one === name);
    setIsOther(days === undefined);
    if (days !== undefined)
      onChange({ ...hours, ...hoursOf({ ...(plainHours(hours) ?? { from: '08:00', to: '18:00' }), days }) });
  };
  return (
    <div className="grid gap-3">
      <Select
        label={t.days}
        value={plain?.days ?? OTHER}
        onChange={(event) => choose(event.target.value)}
        options={[...DAYS.map((days): [Days, string] => [days, t.dayNames[days]]), [OTHER, t.other]]}
      />
      {plain === null ? (
        <>
          <Field
            label={t.schedule}
            hint={t.scheduleHint}
            name="schedule"
            value={hours.schedule}
            required
            spellCheck={false}
            autoComplete="off"
            className="font-mono"
            onChange={(event) => onChange({ ...hours, schedule: event.target.value })}
          />
          <Field
            label={t.duration}
            name="duration"
            type="number"
            inputMode="decimal"
            min={0}
            step="any"
            required
            value={Number.isNaN(hours.duration) ? '' : hours.duration / 3_600}
            onChange={({ target: { valueAsNumber } }) =>
              onChange({ ...hours, duration: Math.round(valueAsNumber * 3_600) })
            }
          />
        </>
      ) : (
        <div className="grid grid-cols-2 gap-3">
          {(['from', 'to'] as const).map((end) => (
            <Field
              key={end}
              label={t[end]}
              type="time"
              value={plain[end]}
              required
              onChange={({ target: { value } }) =>
                value !== '' && onChange({ ...hours, ...hoursOf({ ...plain, [end]: value }) })
              }
            />
          ))}
        </div>
      )}
      <Select
        label={t.zone}
        name="tz"
        value={hours.tz}
        onChange={(event) => onChange({ ...hours, tz: event.target.value })}
        options={zones(hours.tz).map((zone) => [zone, zone])}
      />
    </div>
  );
}

/** All zones that the browser knows. */
const zones = (current: string): readonly string[] => [
  ...new Set([current, 'UTC', ...Intl.supportedValuesOf('timeZone')]),
];
