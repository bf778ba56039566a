import { useState } from 'react';
import { actOnce } from '../../app/act.ts';
import { m } from '../../messages/index.ts';
import { ErrorText } from '../../ui/error-text.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { useLinkToken } from './link-pages.tsx';

/** A new address is taken once both mailboxes have confirmed it. */
export function ConfirmEmail() {
  const [state, setState] = useState<string | null>(null);
  const token = useLinkToken();
  if (state !== null)
    return (
      <EntrancePage
        title={m.confirmEmail.title}
        lead={state === 'changed' ? m.confirmEmail.changed : m.confirmEmail.waiting}
      >
        <BackToSignIn />
      </EntrancePage>
    );
  return (
    <EntrancePage title={m.confirmEmail.title} lead={m.confirmEmail.lead}>
      {token === '' ? (
        <ErrorText>{m.noLink}</ErrorText>
      ) : (
        <Form
          className="contents"
          send={() => actOnce.confirmEmail({ token })}
          done={(answer) => setState(answer.state)}
        >
          <FormError />
          <Submit size="large">{m.confirmEmail.submit}</Submit>
        </Form>
      )}
    </EntrancePage>
  );
}
