import { post } from '../../app/api.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import type { SignInAnswer } from './second-factor.tsx';

interface MailSentProps {
  readonly email: string;
  /** Where to ask for the mail again. */
  readonly path: string;
  /** With it the code of the mail works in this browser. */
  readonly pending?: string;
  readonly onSignedIn?: (answer: SignInAnswer) => void;
  readonly onBack?: () => void;
}

/** Says the same whether a mail was sent or not, since nobody shall learn who has an account. */
export function MailSent({ email, path, pending, onSignedIn, onBack }: MailSentProps) {
  const again = useForm(
    () => post(path, { email }),
    () => undefined,
  );
  const error = again.otherError();
  return (
    <EntrancePage title={m.mailSent.title} lead={m.mailSent.lead(email)}>
      {pending !== undefined && onSignedIn !== undefined && (
        <CodeForm pending={pending} onSignedIn={onSignedIn} />
      )}
      {pending === undefined && (
        <Button size="large" isBusy={again.isBusy} onClick={() => again.send({})}>
          {again.isBusy ? m.mailSent.resent : m.mailSent.resend}
        </Button>
      )}
      {error !== null && <ErrorText>{error}</ErrorText>}
      <BackToSignIn {...(onBack && { onBack })} />
    </EntrancePage>
  );
}

function CodeForm({
  pending,
  onSignedIn,
}: {
  readonly pending: string;
  readonly onSignedIn: (answer: SignInAnswer) => void;
}) {
  const form = useForm<SignInAnswer>(
    ({ code = '' }) => post('/sign-in/code', { pending, code: code.trim() }),
    onSignedIn,
  );
  const error = form.otherError('code');
  return (
    <form className="grid gap-8" onSubmit={form.onSubmit} noValidate>
      <Field
        label={m.mailSent.code}
        name="code"
        autoComplete="one-time-code"
        className="font-mono tracking-[.2em]"
        hint={m.mailSent.codeHint}
        error={form.errorOf('code')}
      />
      {error !== null && <ErrorText>{error}</ErrorText>}
      <Button type="submit" size="large" isBusy={form.isBusy}>
        {m.mailSent.useCode}
      </Button>
    </form>
  );
}
