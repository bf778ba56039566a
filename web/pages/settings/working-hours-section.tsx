import { useSuspenseQuery } from '@tanstack/react-query';
import { use, useState } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { AddButton } from '../../ui/add-button.tsx';
import { Field } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Section } from '../../ui/section.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { type Alerting, WORKING_HOURS } from '../alerting/choice.ts';
import { type Hours, hoursWords, usualHours } from '../alerting/hours.ts';
import { HoursFields } from '../alerting/hours-fields.tsx';
import { ListedRow } from './listed-row.tsx';
import { useUndo } from './use-undo.ts';

const t = m.alerts.workingHours;
const listed = m.alerts.listed;

type Calendar = Alerting['calendars'][number];
type Input = Omit<Calendar, 'uuid'>;
type Uses = Answer<'alertingUses'>['calendars'];

/** What the buttons of the section do. */
export interface CalendarActs {
  readonly add: (input: Input) => Promise<unknown>;
  readonly change: (before: Calendar, input: Input) => Promise<unknown>;
  /** Deletes one that nothing uses. */
  readonly remove: (calendar: Calendar) => void;
  /** Deletes one that is used, after somebody has said so. */
  readonly removeUsed: (calendar: Calendar) => Promise<unknown>;
}

/** The working hours of the project, to be named by ways to tell and by integrations. Each change is saved at once. */
export function WorkingHoursSection() {
  const project = useProject();
  const place = { project: project.uuid };
  const { data: alerting } = useSuspenseQuery(query.alerting(place));
  const { data: uses } = useSuspenseQuery(query.alertingUses(place));
  const { offer, isBusy } = useUndo();
  const add = async (input: Input) => {
    const { uuid: calendar, name } = await act.createCalendar({ ...place, ...sent(input) });
    offer(listed.added(name), () => act.deleteCalendar({ ...place, calendar }));
  };
  const remove = useAct(
    ({ uuid: calendar }: Calendar) => act.deleteCalendar({ ...place, calendar }),
    (_answer, { uuid: _uuid, ...gone }) =>
      offer(listed.removed(gone.name), () => act.createCalendar({ ...place, ...sent(gone) })),
  );
  const change = async ({ uuid: calendar, ...before }: Calendar, input: Input) => {
    await act.editCalendar({ ...place, calendar, ...sent(input) });
    offer(listed.saved(input.name), () => act.editCalendar({ ...place, calendar, ...sent(before) }));
  };
  const acts: CalendarActs = {
    add,
    change,
    remove: (calendar) => void remove.run(calendar),
    removeUsed: ({ uuid: calendar }) => act.deleteCalendar({ ...place, calendar, force: true }),
  };
  return (
    <WorkingHoursRows
      calendars={alerting.calendars}
      uses={uses.calendars}
      isBusy={remove.isBusy || isBusy}
      acts={mayWrite(project) ? acts : null}
    />
  );
}

const sent = ({ except, ...others }: Input) => ({ ...others, except: [...except] });

type Asked = { readonly for: 'new' } | { readonly for: 'edit' | 'remove'; readonly calendar: Calendar };

export function WorkingHoursRows({
  calendars,
  uses,
  isBusy = false,
  acts,
}: {
  readonly calendars: readonly Calendar[];
  readonly uses: Uses;
  readonly isBusy?: boolean;
  /** Null: nothing may be changed. */
  readonly acts: CalendarActs | null;
}) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const usersOf = ({ uuid }: Calendar) => {
    const { policies = [], integrations = [] } = uses.find((one) => one.uuid === uuid) ?? {};
    return [...policies.map(t.way), ...integrations];
  };
  return (
    <Section title={t.title} lead={t.lead}>
      {calendars.length === 0 ? (
        <p className="text-13 text-ink-3">{t.none}</p>
      ) : (
        <ul aria-label={t.title} className="divide-y divide-line rounded-card border border-line">
          {calendars.map((calendar) => (
            <ListedRow
              key={calendar.uuid}
              name={calendar.name}
              isBusy={isBusy}
              users={usersOf(calendar)}
              onEdit={acts && (() => setAsked({ for: 'edit', calendar }))}
              onRemove={
                acts &&
                (() =>
                  usersOf(calendar).length === 0
                    ? acts.remove(calendar)
                    : setAsked({ for: 'remove', calendar }))
              }
            >
              {[hoursWords(calendar), ...offWords(calendar.except)].join(' · ')}
            </ListedRow>
          ))}
        </ul>
      )}
      {acts !== null && <AddButton label={t.new} onAdd={() => setAsked({ for: 'new' })} />}
      {asked?.for === 'new' && acts !== null && (
        <HoursDialog
          title={t.new}
          action={listed.add}
          name={calendars.some(({ name }) => name === WORKING_HOURS) ? '' : WORKING_HOURS}
          save={acts.add}
          onClose={close}
        />
      )}
      {asked?.for === 'edit' && acts !== null && (
        <HoursDialog
          title={t.editTitle(asked.calendar.name)}
          action={listed.save}
          name={asked.calendar.name}
          before={asked.calendar}
          save={(input) => acts.change(asked.calendar, input)}
          onClose={close}
        />
      )}
      {asked?.for === 'remove' && acts !== null && (
        <ConfirmDialog
          title={listed.removeTitle(asked.calendar.name)}
          action={listed.remove}
          run={() => acts.removeUsed(asked.calendar)}
          onClose={close}
        >
          {t.removeLead(usersOf(asked.calendar).join(', '))}
        </ConfirmDialog>
      )}
    </Section>
  );
}

/** Days that a row names. It counts the others. */
const MAX_NAMED_DAYS = 3;

function offWords(except: readonly string[]): string[] {
  if (except.length === 0) return [];
  const named = except.slice(0, MAX_NAMED_DAYS).join(', ');
  const more = except.length - MAX_NAMED_DAYS;
  return [more > 0 ? t.offMore(named, more) : t.offOn(named)];
}

function HoursDialog({
  title,
  action,
  name,
  before,
  save,
  onClose,
}: {
  readonly title: string;
  readonly action: string;
  /** The name that it has, or that is proposed. */
  readonly name: string;
  /** As they are now. Absent for new ones. */
  readonly before?: Calendar;
  readonly save: (input: Input) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const { tz } = use(PersonsTimes);
  const [hours, setHours] = useState<Hours>(() => before ?? usualHours(tz));
  return (
    <FormDialog
      title={title}
      action={action}
      send={({ name: given = '', except = '' }) => {
        const { schedule, tz: zone, duration } = hours;
        return save({ ...{ name: given, schedule, tz: zone, duration }, except: datesIn(except) });
      }}
      onClose={onClose}
      className="grid gap-3.5"
    >
      <Field
        label={t.name}
        hint={t.nameHint}
        name="name"
        defaultValue={name}
        maxLength={TEXT_LIMITS.calendarName}
        autoComplete="off"
        required
      />
      <HoursFields hours={hours} onChange={setHours} />
      <Field
        label={t.except}
        hint={t.exceptHint}
        name="except"
        defaultValue={before?.except.join(' ')}
        autoComplete="off"
      />
    </FormDialog>
  );
}

const datesIn = (text: string): string[] => text.split(/[\s,]+/).filter((date) => date !== '');
