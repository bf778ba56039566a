import { useState } from 'react';
import { post } from '../../app/api.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { useLinkToken } from './link-pages.tsx';

/** A new address is taken once both mailboxes have confirmed it. */
export function ConfirmEmail() {
  const [state, setState] = useState<string | null>(null);
  const token = useLinkToken();
  const form = useForm(
    () => post<{ readonly state: string }>('/account/email/confirm', { token }),
    (answer) => setState(answer.state),
  );
  if (state !== null)
    return (
      <EntrancePage
        title={m.confirmEmail.title}
        lead={state === 'changed' ? m.confirmEmail.changed : m.confirmEmail.waiting}
      >
        <BackToSignIn />
      </EntrancePage>
    );
  const error = token === '' ? m.noLink : form.otherError();
  return (
    <EntrancePage title={m.confirmEmail.title} lead={m.confirmEmail.lead}>
      {error !== null && <ErrorText>{error}</ErrorText>}
      {token !== '' && (
        <Button kind="primary" size="large" isBusy={form.isBusy} onClick={() => form.send({})}>
          {m.confirmEmail.submit}
        </Button>
      )}
    </EntrancePage>
  );
}
