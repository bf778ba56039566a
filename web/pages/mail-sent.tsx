import { post } from '../app/api.ts';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-text.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { useForm } from './use-form.ts';

/** Says the same whether a mail was sent or not, since nobody shall learn who has an account. */
export function MailSent({ email, path }: { readonly email: string; readonly path: string }) {
  const again = useForm(
    () => post(path, { email }),
    () => undefined,
  );
  const error = again.otherError();
  return (
    <EntrancePage title={m.mailSent.title} lead={m.mailSent.lead(email)}>
      <Button size="large" isBusy={again.isBusy} onClick={() => again.send({})}>
        {again.isBusy ? m.mailSent.resent : m.mailSent.resend}
      </Button>
      {error !== null && <ErrorText>{error}</ErrorText>}
      <BackToSignIn />
    </EntrancePage>
  );
}
