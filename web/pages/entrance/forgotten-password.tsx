import { useState } from 'react';
import { actOnce } from '../../app/act.ts';
import { nextPath, sentPath } from '../../app/next-path.ts';
import { m } from '../../messages/index.ts';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { EmailField } from './fields.tsx';
import { SetPassword, useLinkToken } from './link-pages.tsx';
import { MailSent } from './mail-sent.tsx';

/** Asks for a link, or uses the one that was mailed. */
export function Password() {
  return useLinkToken() === '' ? <ForgottenPassword /> : <SetPassword />;
}

function ForgottenPassword() {
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  const mail = ({ email }: { readonly email: string }) =>
    actOnce.mailPasswordLink({ email, next: sentPath(nextPath(location)) });
  if (mailedTo !== null) return <MailSent email={mailedTo} mail={mail} />;
  const ask = async ({ email = '' }) => {
    await mail({ email });
    return email;
  };
  return (
    <EntrancePage title={m.forgotten.title} lead={m.forgotten.lead}>
      <Form className="grid gap-4" send={ask} done={setMailedTo} noValidate>
        <EmailField />
        <FormError />
        <Submit size="large">{m.forgotten.submit}</Submit>
      </Form>
      <BackToSignIn />
    </EntrancePage>
  );
}
