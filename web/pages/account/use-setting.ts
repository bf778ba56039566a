import { useSuspenseQuery } from '@tanstack/react-query';
import { act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { tellWithUndo } from '../../ui/toasts.tsx';

type Edit = NonNullable<Parameters<typeof act.editAccount>[0]>;

/** Saves a setting at once, and offers to take it back. */
export function useSetting(setting: Exclude<keyof Edit, 'name'>, label: string) {
  const { data: account } = useSuspenseQuery(query.account());
  // The server gives the choices.
  const edit = (value: string) => act.editAccount({ [setting]: value } as Edit);
  const takeBack = useAct(edit);
  const change = useAct(
    (value: string, _before: string) => edit(value),
    (_answer, _value, before) => tellWithUndo(m.account.look.saved(label), () => takeBack.run(before)),
  );
  const before = account[setting];
  return { save: (value: string) => before !== value && change.run(value, before) };
}
