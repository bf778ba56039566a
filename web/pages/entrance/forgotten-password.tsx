import { useState } from 'react';
import { post } from '../../app/api.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { SetPassword, useLinkToken } from './link-pages.tsx';
import { MailSent } from './mail-sent.tsx';

/** Asks for a link, or uses the one that was mailed. */
export function Password() {
  return useLinkToken() === '' ? <ForgottenPassword /> : <SetPassword />;
}

function ForgottenPassword() {
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  const form = useForm(async ({ email = '' }) => {
    await post('/password/forgotten', { email });
    return email;
  }, setMailedTo);
  if (mailedTo !== null) return <MailSent email={mailedTo} path="/password/forgotten" />;
  const error = form.otherError('email');
  return (
    <EntrancePage title={m.forgotten.title} lead={m.forgotten.lead}>
      <form className="grid gap-8" onSubmit={form.onSubmit} noValidate>
        <Field
          label={m.fields.email}
          name="email"
          type="email"
          placeholder={m.fields.emailPlaceholder}
          autoComplete="username"
          error={form.errorOf('email')}
        />
        {error !== null && <ErrorText>{error}</ErrorText>}
        <Button type="submit" kind="primary" size="large" isBusy={form.isBusy}>
          {m.forgotten.submit}
        </Button>
      </form>
      <BackToSignIn />
    </EntrancePage>
  );
}
