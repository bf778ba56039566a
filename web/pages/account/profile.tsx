import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Section } from '../../ui/section.tsx';
import { tell } from '../../ui/toasts.tsx';

const t = m.account.profile;

/** Address and name. */
export function ProfileSection() {
  const { data: account } = useSuspenseQuery(query.account());
  const [isChanging, setIsChanging] = useState(false);
  return (
    <Section title={t.title}>
      <div className="grid gap-4 md:grid-cols-2">
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <Field label={t.email} value={account.email} readOnly hint={t.emailHint} />
          </div>
          <Button size="large" className="mt-6.5" onClick={() => setIsChanging(true)}>
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
  const rename = useAct(
    (value: string) => act.editAccount({ name: value }),
    () => tell(t.saved),
  );
  const save = (value: string) => value.trim() !== name && rename.run(value);
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
  return (
    <FormDialog
      title={t.changeTitle}
      action={t.ask}
      send={async ({ email = '' }) => ({ email, ...(await act.changeEmail({ email })) })}
      done={({ state, email }) => tell(state === 'changed' ? t.changed : t.asked(email))}
      noValidate
      onClose={onClose}
    >
      <p className="text-13 text-ink-2">{t.changeLead}</p>
      <Field label={t.newEmail} name="email" type="email" />
    </FormDialog>
  );
}
