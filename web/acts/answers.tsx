import { BellOff, CheckCheck } from 'lucide-react';
import { use, useMemo, useState } from 'react';
import { act } from '../app/act.ts';
import { now } from '../app/clock.ts';
import { m } from '../messages/index.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form.tsx';
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx';
import { Select } from '../ui/select.tsx';
import { PersonsTimes } from '../ui/time.tsx';
import { fieldOf, instantOf, shortTime } from '../ui/times.ts';
import { tell, tellWithUndo } from '../ui/toasts.tsx';
import { attempt, type Guess } from './attempt.ts';
import { type SnoozeSpan, spansAt } from './snooze-spans.ts';

const t = m.checkActs;

/** For how long: one of the usual spans, or until a time, in UNIX time. */
export type SnoozeChoice = { readonly span: SnoozeSpan } | { readonly until: number };

interface AnsweredCheck {
  /** Its UUID or its unique key. */
  readonly ref: string;
  readonly name: string;
}

type Clock = (at: string) => string;

/** What people answer to an outage of one check. Times are told in the way of the person. */
export function useAnswers() {
  const style = use(PersonsTimes);
  return useMemo(() => answersWith((at) => shortTime(Date.parse(at), style, now())), [style]);
}

export type Answers = ReturnType<typeof answersWith>;

function answersWith(clock: Clock) {
  const acknowledge = (check: AnsweredCheck, guess?: Guess): Promise<void> => {
    const { ref, name } = check;
    const work = async () => {
      const { earlier } = await act.acknowledgeCheck({ check: ref });
      if (earlier === null) tellWithUndo(t.acknowledged(name), () => void takeBack(check));
      else tell(t.alreadyAcknowledged(name, earlier.by, earlier.at && clock(earlier.at)));
    };
    return attempt(t.couldNot.acknowledge(name), work, guess);
  };

  const takeBack = ({ ref, name }: AnsweredCheck, guess?: Guess): Promise<void> => {
    const work = async () => {
      await act.unacknowledgeCheck({ check: ref });
      tell(t.takenBack(name));
    };
    return attempt(t.couldNot.takeBack(name), work, guess);
  };

  const snooze = (
    check: AnsweredCheck & { readonly isSnoozed: boolean },
    choice: SnoozeChoice,
    guess?: Guess,
  ) => {
    const { ref, name, isSnoozed } = check;
    const work = async () => {
      const { until } = await act.snoozeCheck({ check: ref, ...choice });
      const words = t.snoozed(name, until && clock(until));
      // To undo a longer snooze would end the one before, too.
      if (isSnoozed) tell(words);
      else tellWithUndo(words, () => void endSnooze(check));
    };
    return attempt(t.couldNot.snooze(name), work, guess);
  };

  const endSnooze = ({ ref, name }: AnsweredCheck, guess?: Guess): Promise<void> => {
    const work = async () => {
      await act.unsnoozeCheck({ check: ref });
      tell(t.snoozeEnded(name));
    };
    return attempt(t.couldNot.endSnooze(name), work, guess);
  };

  return { acknowledge, takeBack, snooze, endSnooze };
}

export const AcknowledgeIcon = () => <CheckCheck className="size-4" />;

/** The usual spans, as they are offered now. */
export function useSnoozeSpans(): readonly SnoozeSpan[] {
  const style = use(PersonsTimes);
  return spansAt(fieldOf(now(), style).slice(-CLOCK_LENGTH));
}

/** Of a clock's time in the field of a form, such as `14:25`. */
const CLOCK_LENGTH = 5;

/** A button with the usual spans. */
export function SnoozeMenu({
  className,
  label,
  onSnooze,
  onDate,
}: {
  readonly className: string;
  /** For screen readers, where several stand on a page. */
  readonly label?: string;
  readonly onSnooze: (choice: SnoozeChoice) => void;
  /** Somebody wants another time: the caller shows the dialog. */
  readonly onDate: () => void;
}) {
  const spans = useSnoozeSpans();
  return (
    <Menu
      className={className}
      {...(label !== undefined && { label })}
      button={
        <>
          <BellOff className="size-4" />
          {t.menu.snooze} <span aria-hidden="true">▾</span>
        </>
      }
    >
      {spans.map((span) => (
        <MenuItem key={span} onSelect={() => onSnooze({ span })}>
          {t.snoozing.spans[span]}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={onDate}>{t.snoozing.until}</MenuItem>
    </Menu>
  );
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_MS = 30 * DAY_MS;

/** Asks for how long. */
export function SnoozeDialog({
  title,
  first,
  onSnooze,
  onClose,
}: {
  readonly title: string;
  /** What is chosen at first. */
  readonly first: 'hour' | 'until';
  readonly onSnooze: (choice: SnoozeChoice) => void;
  readonly onClose: () => void;
}) {
  const [span, setSpan] = useState<SnoozeSpan | 'until'>(first);
  const spans = useSnoozeSpans();
  const style = use(PersonsTimes);
  return (
    <FormDialog
      title={title}
      action={t.menu.snooze}
      onClose={onClose}
      send={async ({ until = '' }) => {
        const at = instantOf(until, style) ?? now();
        onSnooze(span === 'until' ? { until: Math.floor(at / 1_000) } : { span });
      }}
    >
      <Select
        label={t.snoozing.label}
        value={span}
        // The options are these values.
        onChange={(event) => setSpan(event.target.value as typeof span)}
      >
        {spans.map((value) => (
          <option key={value} value={value}>
            {t.snoozing.spans[value]}
          </option>
        ))}
        <option value="until">{t.snoozing.until}</option>
      </Select>
      {span === 'until' && (
        <Field
          label={t.snoozing.date}
          name="until"
          type="datetime-local"
          required
          min={fieldOf(now() + MINUTE_MS, style)}
          max={fieldOf(now() + MAX_MS, style)}
          defaultValue={fieldOf(now() + DAY_MS, style)}
        />
      )}
      <p className="text-13 text-ink-2">{t.snoozing.consequence}</p>
    </FormDialog>
  );
}
