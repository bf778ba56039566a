import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../../app/api.ts';
import { open } from '../../app/next.ts';
import { entranceQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { browserZone, FinishSignUp, useLinkToken } from './link-pages.tsx';
import { MailSent } from './mail-sent.tsx';

export function SignUp() {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const hasLink = useLinkToken() !== '';
  if (hasLink) return <FinishSignUp />;
  if (!entrance.sign_up.is_open)
    return (
      <EntrancePage title={m.signUp.title} lead={m.signUp.closed}>
        <BackToSignIn />
      </EntrancePage>
    );
  return <SignUpForm />;
}

/** With mail the address is confirmed first. Without it the account is made at once. */
function SignUpForm() {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  const form = useForm(
    async ({ email = '', password = '' }) => {
      if (entrance.has_mail) await post('/sign-up', { email });
      else await post('/sign-up/without-mail', { email, password, tz: browserZone() });
      return email;
    },
    (email) => (entrance.has_mail ? setMailedTo(email) : open('/')),
  );
  if (mailedTo !== null) return <MailSent email={mailedTo} path="/sign-up" />;
  const { domains } = entrance.sign_up;
  const error = form.otherError('email', 'password');
  return (
    <EntrancePage title={m.signUp.title} lead={domains === null ? m.motto : m.signUp.domains(domains)}>
      <form className="grid gap-8" onSubmit={form.onSubmit} noValidate>
        <Field
          label={m.fields.email}
          name="email"
          type="email"
          placeholder={m.fields.emailPlaceholder}
          autoComplete="username"
          error={form.errorOf('email')}
        />
        {!entrance.has_mail && (
          <Field
            label={m.fields.password}
            name="password"
            type="password"
            autoComplete="new-password"
            hint={m.fields.passwordHint(entrance.min_password_length)}
            error={form.errorOf('password')}
          />
        )}
        {error !== null && <ErrorText>{error}</ErrorText>}
        <Button type="submit" kind="primary" size="large" isBusy={form.isBusy}>
          {entrance.has_mail ? m.signUp.submitMail : m.signUp.submit}
        </Button>
      </form>
      <p className="text-12 text-ink-3">
        {m.signUp.haveAccount}{' '}
        <Link to="/accounts/login/" className="font-medium text-link">
          {m.signIn.submit}
        </Link>
      </p>
    </EntrancePage>
  );
}
