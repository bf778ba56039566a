import { type ReactNode, useState } from 'react';
import { actOnce } from '../../app/act.ts';
import { m } from '../../messages/index.ts';
import { Field } from '../../ui/field.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import type { SignInAnswer } from './second-factor.tsx';

interface MailSentProps {
  readonly email: string;
  /** Asks for the mail again. Absent if its code works in this browser. */
  readonly mail?: (to: { readonly email: string }) => Promise<unknown>;
  readonly children?: ReactNode;
  readonly onBack?: () => void;
}

/** Says the same whether a mail was sent or not, since nobody shall learn who has an account. */
export function MailSent({ email, mail, children, onBack }: MailSentProps) {
  const [isResent, setIsResent] = useState(false);
  return (
    <EntrancePage title={m.mailSent.title} lead={m.mailSent.lead(email)}>
      {children}
      {mail !== undefined && (
        <Form className="contents" send={() => mail({ email })} done={() => setIsResent(true)}>
          <Submit kind="plain" size="large">
            {isResent ? m.mailSent.resent : m.mailSent.resend}
          </Submit>
          <FormError />
        </Form>
      )}
      <BackToSignIn {...(onBack && { onBack })} />
    </EntrancePage>
  );
}

/** With `pending` the code of the mail works in this browser. */
export function MailedCodeForm({
  pending,
  onSignedIn,
}: {
  readonly pending: string;
  readonly onSignedIn: (answer: SignInAnswer) => void;
}) {
  return (
    <Form
      className="grid gap-4"
      send={({ code = '' }) => actOnce.signInByMailedCode({ pending, code: code.trim() })}
      done={onSignedIn}
      noValidate
    >
      <Field
        label={m.mailSent.code}
        name="code"
        autoComplete="one-time-code"
        className="font-mono tracking-[.2em]"
        hint={m.mailSent.codeHint}
      />
      <FormError />
      <Submit kind="plain" size="large">
        {m.mailSent.useCode}
      </Submit>
    </Form>
  );
}
