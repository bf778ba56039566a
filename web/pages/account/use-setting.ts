import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AccountJson } from '../../../src/wire/dashboard/account-output.ts';
import { post } from '../../app/api.ts';
import { accountQuery } from '../../app/queries.ts';
import { m } from '../../messages/index.ts';
import { tellError, tellWithUndo } from '../../ui/toasts.tsx';

type Setting = 'theme' | 'tz' | 'language' | 'date_format' | 'clock' | 'reports' | 'reminders';

/** Saves a setting at once, and offers to take it back. */
export function useSetting(setting: Setting, label: string) {
  const queries = useQueryClient();
  const keep = (saved: AccountJson) => queries.setQueryData(accountQuery.queryKey, saved);
  const { mutate, isPending } = useMutation({
    mutationFn: (value: string) => post<AccountJson>('/account', { [setting]: value }),
    onSuccess: keep,
    onError: (error) => tellError(error.message),
  });
  const save = (value: string) => {
    const before = queries.getQueryData(accountQuery.queryKey)?.[setting];
    if (before === value || before === undefined) return;
    mutate(value, {
      onSuccess: () => tellWithUndo(m.account.look.saved(label), () => mutate(before)),
    });
  };
  return { save, isBusy: isPending };
}
