import { useSuspenseQuery } from '@tanstack/react-query';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { FieldError } from '../../ui/form.tsx';
import { isIos } from './device.ts';
import { kindsQuery } from './queries.ts';
import { nameOf, type SettingProps } from './setting-props.ts';
import { isInstalled, mayBeTold, subscribe } from './subscribe.ts';

const words = m.integrations.push;

/** Asks the browser whether it shows notifications. Its subscription is the value. */
export function PushField({ project, field, value, stored, onValue }: SettingProps) {
  const { pushKey } = useSuspenseQuery(kindsQuery(project)).data;
  const asking = useShownAct(() => subscribe(pushKey), onValue);
  const isNew = asking.answer !== undefined && value !== null;
  return (
    <fieldset name={nameOf(field)} className="grid min-w-0 justify-items-start gap-2">
      <legend className="pb-1.5 text-13 font-medium">{field.label}</legend>
      <p role="status" className="text-13 text-ink-2">
        {stateOf(isNew, stored !== null)}
      </p>
      {mayBeTold() && (
        <Button isBusy={asking.isBusy} onClick={() => asking.run()}>
          {words.allow}
        </Button>
      )}
      {asking.error === null ? <FieldError name={nameOf(field)} /> : <Refusal error={asking.error} />}
    </fieldset>
  );
}

function stateOf(isNew: boolean, isStored: boolean): string {
  // An iPhone shows notifications of installed pages only.
  if (!mayBeTold()) return isIos(navigator) && !isInstalled() ? words.homeScreen : words.impossible;
  if (isNew) return words.allowed;
  return isStored ? words.stored : words.ask;
}
