import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { actOnce } from '../../app/act.ts';
import { open } from '../../app/next.ts';
import { nextPath, sentPath, withNext } from '../../app/next-path.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { browserZone, EmailField, NewPasswordField } from './fields.tsx';
import { FinishSignUp, useLinkToken } from './link-pages.tsx';
import { MailSent } from './mail-sent.tsx';

export function SignUp() {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const hasLink = useLinkToken() !== '';
  if (hasLink) return <FinishSignUp />;
  if (!entrance.signUp.isOpen)
    return (
      <EntrancePage title={m.signUp.title} lead={m.signUp.closed}>
        <BackToSignIn />
      </EntrancePage>
    );
  return <SignUpForm />;
}

/** With mail the address is confirmed first. Without it the account is made at once. */
function SignUpForm() {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  const next = nextPath(location);
  const mail = ({ email }: { readonly email: string }) =>
    actOnce.mailSignUpLink({ email, next: sentPath(next) });
  if (mailedTo !== null) return <MailSent email={mailedTo} mail={mail} />;
  const { hasMail } = entrance;
  const { domains } = entrance.signUp;
  const signUp = async ({ email = '', password = '' }) => {
    if (hasMail) await mail({ email });
    else await actOnce.signUpWithoutMail({ email, password, tz: browserZone() });
    return email;
  };
  return (
    <EntrancePage title={m.signUp.title} lead={domains === null ? m.motto : m.signUp.domains(domains)}>
      <Form
        className="grid gap-4"
        send={signUp}
        done={(email) => (hasMail ? setMailedTo(email) : open(next))}
        noValidate
      >
        <EmailField />
        {!hasMail && <NewPasswordField label={m.fields.password} />}
        <FormError />
        <Submit size="large">{hasMail ? m.signUp.submitMail : m.signUp.submit}</Submit>
      </Form>
      <p className="text-12 text-ink-3">
        {m.signUp.haveAccount}{' '}
        <Link to="/accounts/login/" {...withNext(next)} className="font-medium text-link">
          {m.signIn.submit}
        </Link>
      </p>
    </EntrancePage>
  );
}
