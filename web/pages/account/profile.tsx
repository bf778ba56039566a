import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../app/api.ts';
import { accountQuery, sessionQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Section } from '../../ui/section.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';

const t = m.account.profile;

/** Address and name. */
export function ProfileSection() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const [isChanging, setIsChanging] = useState(false);
  return (
    <Section title={t.title}>
      <div className="grid gap-8 md:grid-cols-2">
        <div className="flex items-start gap-4">
          <div className="min-w-0 flex-1">
            <Field label={t.email} value={account.email} readOnly hint={t.emailHint} />
          </div>
          <Button size="large" className="mt-13" onClick={() => setIsChanging(true)}>
            {t.change}
          </Button>
        </div>
        <NameField name={account.name} />
      </div>
      {isChanging && <EmailDialog onClose={() => setIsChanging(false)} />}
    </Section>
  );
}

/** Saved when the person leaves it. */
function NameField({ name }: { readonly name: string }) {
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (value: string) => post('/account', { name: value }),
    onSuccess: (saved) => {
      queries.setQueryData(accountQuery.queryKey, saved as never);
      tell(t.saved);
    },
    onError: (error) => tellError(error.message),
  });
  const save = (value: string) => value.trim() !== name && mutate(value);
  return (
    <Field
      key={name}
      label={t.name}
      defaultValue={name}
      autoComplete="name"
      hint={t.nameHint}
      onBlur={({ target }) => save(target.value)}
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
    />
  );
}

function EmailDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const form = useForm(
    async ({ email = '' }) => ({
      email,
      ...(await post<{ readonly state: 'changed' | 'asked' }>('/account/email', { email })),
    }),
    ({ state, email }) => {
      tell(state === 'changed' ? t.changed : t.asked(email));
      void queries.invalidateQueries({ queryKey: ['account'] });
      void queries.invalidateQueries(sessionQuery);
      onClose();
    },
  );
  const error = form.otherError('email');
  return (
    <Dialog title={t.changeTitle} onClose={onClose}>
      <form className="grid gap-6" onSubmit={form.onSubmit} noValidate>
        <p className="text-13 text-ink-2">{t.changeLead}</p>
        <Field label={t.newEmail} name="email" type="email" autoFocus error={form.errorOf('email')} />
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {t.ask}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
