import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { readLinkFragment } from '../../../src/domain/people/link-fragment.ts';
import { actOnce } from '../../app/act.ts';
import { open } from '../../app/next.ts';
import { ownPath } from '../../app/next-path.ts';
import { m } from '../../messages/index.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { useFormError } from '../../ui/form-state.ts';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { browserZone, EmailField, NameField, NewPasswordField } from './fields.tsx';
import { type PendingSignIn, SecondFactor, type SignInAnswer } from './second-factor.tsx';

/**
 * The secret of a link in a mail or a log, from the fragment. Opening a page sends nothing: scanners of mails open
 * links, too.
 */
export function useLinkToken(): string {
  return useLocation({ select: ({ hash }) => hash });
}

/** A form that uses a link up and signs in. */
function LinkForm({
  title,
  lead,
  submit,
  send,
  children,
}: {
  readonly title: string;
  readonly lead: string;
  readonly submit: string;
  readonly send: (token: string, values: Readonly<Record<string, string>>) => Promise<SignInAnswer>;
  readonly children?: ReactNode;
}) {
  const [step, setStep] = useState<PendingSignIn | null>(null);
  const link = readLinkFragment(useLinkToken());
  const next = ownPath(link.next);
  if (step !== null) return <SecondFactor step={step} next={next} />;
  if (link.token === '')
    return (
      <EntrancePage title={title}>
        <ErrorText>{m.noLink}</ErrorText>
        <BackToSignIn next={next} />
      </EntrancePage>
    );
  return (
    <EntrancePage title={title} lead={lead}>
      <Form
        className="grid gap-4"
        send={(values) => send(link.token, values)}
        done={(answer) => (answer === null ? open(next) : setStep(answer))}
        noValidate
      >
        {children}
        <FormError />
        <Submit size="large">{submit}</Submit>
        <BackAfterError next={next} />
      </Form>
    </EntrancePage>
  );
}

function BackAfterError({ next }: { readonly next: string }) {
  return useFormError() !== null && <BackToSignIn next={next} />;
}

export function UseSignInLink() {
  return (
    <LinkForm
      title={m.useLink.title}
      lead={m.useLink.lead}
      submit={m.useLink.submit}
      send={(token) => actOnce.signInByLink({ token })}
    />
  );
}

export function SetPassword() {
  return (
    <LinkForm
      title={m.setPassword.title}
      lead={m.setPassword.lead}
      submit={m.setPassword.submit}
      send={(token, { password = '', revokeTokens }) =>
        actOnce.setPasswordByLink({ token, password, revokeTokens: revokeTokens !== undefined })
      }
    >
      <NewPasswordField />
      <Checkbox
        label={m.setPassword.revokeTokens}
        hint={m.setPassword.revokeTokensHint}
        name="revokeTokens"
        defaultChecked
      />
    </LinkForm>
  );
}

export function FinishSignUp() {
  return (
    <LinkForm
      title={m.signUp.finishTitle}
      lead={m.signUp.finishLead}
      submit={m.signUp.submit}
      send={(token, { name = '', password = '' }) =>
        actOnce.finishSignUp({ token, name, tz: browserZone(), ...(password !== '' && { password }) })
      }
    >
      <NameField />
      <NewPasswordField hint={m.signUp.passwordOptional} />
    </LinkForm>
  );
}

export function Setup() {
  return (
    <LinkForm
      title={m.setup.title}
      lead={m.setup.lead}
      submit={m.setup.submit}
      send={(token, { name = '', email = '', password = '' }) =>
        actOnce.completeSetup({ token, name, email, password })
      }
    >
      <NameField />
      <EmailField />
      <NewPasswordField />
    </LinkForm>
  );
}
