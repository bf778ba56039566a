import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { FormDialog } from '../../ui/form.tsx';
import { choiceOf, faultOf, madeChoice } from './choice.ts';
import { WhenToTell } from './when-to-tell.tsx';

/** Asks when to tell. What the project does not have yet is made before. */
export function ChoiceDialog({
  title,
  project,
  value,
  above,
  onChoose,
  onClose,
}: {
  readonly title: string;
  /** Its UUID. */
  readonly project: string;
  /** The name that is chosen now. */
  readonly value: string;
  /** What counts without a choice, in words. Null: something must be chosen. */
  readonly above: string | null;
  readonly onChoose: (name: string) => void;
  readonly onClose: () => void;
}) {
  const { data: alerting } = useSuspenseQuery(query.alerting({ project }));
  const [choice, setChoice] = useState(() => choiceOf(value, alerting));
  return (
    <FormDialog
      title={title}
      action={m.alerts.whenToTell.save}
      isIncomplete={faultOf(choice) !== null}
      send={() => madeChoice(project, choice, alerting)}
      done={onChoose}
      onClose={onClose}
    >
      <WhenToTell {...{ project, alerting, choice, above }} isTitleHidden onChange={setChoice} />
    </FormDialog>
  );
}
