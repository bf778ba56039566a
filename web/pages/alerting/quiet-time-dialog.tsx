import { useQuery } from '@tanstack/react-query';
import { use, useState } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { now } from '../../app/clock.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FieldError, FormDialog } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { cityOf, fieldOf, instantOf, type TimeStyle } from '../../ui/times.ts';
import { rowsQuery } from '../checks/board.ts';
import type { Hours } from './hours.ts';
import { HoursFields } from './hours-fields.tsx';
import type { QuietTime, QuietTimeInput } from './quiet-times.ts';

const t = m.quietTimes.form;

const WHENS = ['hour', 'four_hours', 'until', 'span', 'again'] as const;
type When = (typeof WHENS)[number];

const WHATS = ['project', 'tags', 'checks', 'both'] as const;
type What = (typeof WHATS)[number];

const SECONDS = { hour: 3_600, four_hours: 14_400 } as const;
const HOUR_MS = 3_600_000;

export interface NamedCheck {
  readonly uuid: string;
  readonly name: string;
}

/** Asks for a quiet time, a new one or one that is edited. */
export default function QuietTimeDialog({
  project,
  before = null,
  chosen = null,
  save,
  onClose,
}: {
  /** The UUID of the project. */
  readonly project: string;
  /** As it is now. Null for a new one. */
  readonly before?: QuietTime | null;
  /** The checks that it is about. Null: they are chosen here. */
  readonly chosen?: readonly NamedCheck[] | null;
  readonly save: (input: QuietTimeInput) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const style = use(PersonsTimes);
  const { data } = useQuery(query.quietTimes({ project }));
  const [when, setWhen] = useState<When>(() => whenOf(before));
  const [hours, setHours] = useState<Hours>(() => hoursOf(before, style));
  const [what, setWhat] = useState<What>(() => (chosen === null ? whatOf(before) : 'checks'));
  const [checks, setChecks] = useState<readonly NamedCheck[]>(() => chosen ?? namedChecks(before));
  const [name, setName] = useState(before?.name ?? null);
  const others = (data?.quietTimes ?? []).filter(({ uuid }) => uuid !== before?.uuid);
  const usualName = t.usual(others.filter((other) => other.name.startsWith(t.usual(0))).length);
  const isTaken =
    before === null &&
    others.some(
      (other) =>
        other.name === (name ?? usualName).trim() && (other.schedule !== null) === (when === 'again'),
    );
  const namesTags = what === 'tags' || what === 'both';
  const namesChecks = what === 'checks' || what === 'both';
  return (
    <FormDialog
      title={before === null ? m.quietTimes.new : m.quietTimes.editTitle(before.name)}
      action={before === null ? m.quietTimes.announce : m.quietTimes.save}
      isIncomplete={namesChecks && checks.length === 0}
      send={(values) =>
        save({
          ...{ name: name ?? usualName, reason: values.reason ?? '' },
          ...(namesTags && { tags: values.tags ?? '' }),
          ...(namesChecks && { checks: checks.map(({ uuid }) => uuid) }),
          ...timingOf(when, (field) => secondOf(values[field] ?? '', before?.[field] ?? null, style), hours),
        })
      }
      onClose={onClose}
      className="grid gap-3.5"
    >
      <Field
        label={t.name}
        hint={isTaken ? t.sameName : t.nameHint}
        name="name"
        value={name ?? usualName}
        maxLength={TEXT_LIMITS.quietTimeName}
        autoComplete="off"
        required
        onChange={(event) => setName(event.target.value)}
      />
      <Select
        label={t.when}
        value={when}
        // The options are these values.
        onChange={(event) => setWhen(event.target.value as When)}
        options={WHENS.map((value) => [value, t.whens[value]])}
      />
      {when === 'span' && (
        <Field {...MOMENT} label={t.from} name="from" defaultValue={momentOf(before?.from, 0, style)} />
      )}
      {(when === 'until' || when === 'span') && (
        <Field
          {...MOMENT}
          label={t.until}
          hint={m.times.zone(cityOf(style.tz))}
          name="until"
          defaultValue={momentOf(before?.until, HOUR_MS, style)}
        />
      )}
      {when === 'again' && <HoursFields hours={hours} onChange={setHours} />}
      {chosen === null && (
        <Select
          label={t.what}
          value={what}
          // The options are these values.
          onChange={(event) => setWhat(event.target.value as What)}
          options={WHATS.map((value) => [value, t.whats[value]])}
        />
      )}
      {namesTags && (
        <>
          <Field
            label={t.tags}
            hint={t.tagsHint}
            name="tags"
            list="known-tags"
            defaultValue={before?.tags}
            maxLength={TEXT_LIMITS.checkTags}
            pattern=".*\S.*"
            autoComplete="off"
            required
          />
          <datalist id="known-tags">
            {data?.knownTags.map((tag) => (
              <option key={tag} value={tag} />
            ))}
          </datalist>
        </>
      )}
      {namesChecks && <CheckFields project={project} checks={checks} onChange={setChecks} />}
      <Field
        label={t.reason}
        name="reason"
        defaultValue={before?.reason}
        maxLength={TEXT_LIMITS.quietTimeReason}
        autoComplete="off"
      />
      <p className="text-13 text-ink-2">{m.quietTimes.lead}</p>
    </FormDialog>
  );
}

function timingOf(
  when: When,
  secondIn: (field: 'from' | 'until') => number,
  { schedule, tz, duration }: Hours,
): Partial<QuietTimeInput> {
  switch (when) {
    case 'until':
      return { until: secondIn('until') };
    case 'span':
      return { from: secondIn('from'), until: secondIn('until') };
    case 'again':
      return { schedule, tz, duration };
    default:
      return { duration: SECONDS[when] };
  }
}

/** The time of a date field, which has no seconds. One that nobody has changed keeps them. */
function secondOf(value: string, before: string | null, style: TimeStyle): number {
  const known = before === null ? null : Date.parse(before);
  const at = known !== null && fieldOf(known, style) === value ? known : instantOf(value, style);
  return Math.floor((at ?? now()) / 1_000);
}

function whenOf(before: QuietTime | null): When {
  if (before === null) return 'hour';
  return before.schedule === null ? 'span' : 'again';
}

function whatOf(before: QuietTime | null): What {
  if (before === null || before.isWhole) return 'project';
  if (before.tags === '') return 'checks';
  return before.checks.length > 0 ? 'both' : 'tags';
}

const namedChecks = (before: QuietTime | null): readonly NamedCheck[] =>
  (before?.checks ?? []).flatMap(({ uuid, name }) => (uuid === null ? [] : [{ uuid, name }]));

const hoursOf = (before: QuietTime | null, { tz }: TimeStyle): Hours =>
  before === null || before.schedule === null
    ? { schedule: 'Sun 01:00', tz, duration: 14_400 }
    : { schedule: before.schedule, tz: before.tz ?? 'UTC', duration: before.duration };

const MOMENT = { type: 'datetime-local', required: true } as const;

/** The value of a date field: the time, or one so long after now. */
const momentOf = (at: string | null | undefined, afterMs: number, style: TimeStyle): string =>
  fieldOf(at ? Date.parse(at) : now() + afterMs, style);

/** The checks by name, of which more can be added. */
function CheckFields({
  project,
  checks,
  onChange,
}: {
  readonly project: string;
  readonly checks: readonly NamedCheck[];
  readonly onChange: (checks: readonly NamedCheck[]) => void;
}) {
  const { data: rows = [] } = useQuery(rowsQuery(project));
  const others = rows
    .flatMap(({ uuid, name, slug }) => (uuid === null ? [] : [{ uuid, name: name || slug }]))
    .filter(({ uuid }) => !checks.some((check) => check.uuid === uuid))
    .toSorted((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
  return (
    <fieldset name="checks" className="grid gap-2.5">
      <legend className="mb-1.5 text-13 font-medium">{t.chosen}</legend>
      {checks.length > 0 && (
        <ul className="grid max-h-48 gap-1.5 overflow-y-auto">
          {checks.map(({ uuid, name }) => (
            <li key={uuid} className="flex items-center gap-2.5">
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{name || t.unnamed}</span>
              <Button
                size="small"
                aria-label={t.removeOne(name || t.unnamed)}
                onClick={() => onChange(checks.filter((check) => check.uuid !== uuid))}
              >
                {t.removeCheck}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <Select
          label={t.addCheck}
          value=""
          onChange={({ target: { value } }) => {
            const added = others.find(({ uuid }) => uuid === value);
            if (added !== undefined) onChange([...checks, added]);
          }}
        >
          <option value="">{t.choose}</option>
          {others.map(({ uuid, name }) => (
            <option key={uuid} value={uuid}>
              {name || t.unnamed}
            </option>
          ))}
        </Select>
      )}
      <FieldError name="checks" />
    </fieldset>
  );
}
