import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { kindsQuery } from './queries.ts';
import type { SettingProps } from './setting-props.ts';
import { mayBeTold, subscribe } from './subscribe.ts';

const words = m.integrations.push;

/** Asks the browser whether it shows notifications. Its subscription is the value. */
export function PushField({ project, field, value, stored, errorOf, onValue }: SettingProps) {
  const { push_key: key } = useSuspenseQuery(kindsQuery(project)).data;
  const asking = useMutation({ mutationFn: () => subscribe(key), onSuccess: onValue });
  const error = asking.error?.message ?? errorOf(field.name);
  const isNew = asking.isSuccess && value !== null;
  return (
    <fieldset className="grid min-w-0 justify-items-start gap-4">
      <legend className="pb-3 text-13 font-medium">{field.label}</legend>
      <p role="status" className="text-13 text-ink-2">
        {stateOf(isNew, stored !== null)}
      </p>
      {mayBeTold() && (
        <Button isBusy={asking.isPending} onClick={() => asking.mutate()}>
          {words.allow}
        </Button>
      )}
      {error !== null && <ErrorText>{error}</ErrorText>}
    </fieldset>
  );
}

function stateOf(isNew: boolean, isStored: boolean): string {
  if (!mayBeTold()) return words.impossible;
  if (isNew) return words.allowed;
  return isStored ? words.stored : words.ask;
}
