import { useSuspenseQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { post } from '../../app/api.ts';
import { open } from '../../app/next.ts';
import { entranceQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { type PendingSignIn, SecondFactor, type SignInAnswer } from './second-factor.tsx';

/**
 * What links in mails and logs open. The secret is in the fragment. Opening a page sends nothing: scanners of mails open
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
  path,
  children,
  valuesOf = (values) => values,
}: {
  readonly title: string;
  readonly lead: string;
  readonly submit: string;
  readonly path: string;
  readonly children?: (errorOf: (field: string) => string | null) => ReactNode;
  readonly valuesOf?: (values: Readonly<Record<string, string>>) => object;
}) {
  const [step, setStep] = useState<PendingSignIn | null>(null);
  const token = useLinkToken();
  const form = useForm<SignInAnswer>(
    (values) => post(path, { ...valuesOf(values), token }),
    (answer) => {
      if (answer === null) open('/');
      else setStep(answer);
    },
  );
  if (step !== null) return <SecondFactor step={step} />;
  if (token === '')
    return (
      <EntrancePage title={title}>
        <ErrorText>{m.noLink}</ErrorText>
        <BackToSignIn />
      </EntrancePage>
    );
  const error = form.otherError('email', 'password', 'name');
  return (
    <EntrancePage title={title} lead={lead}>
      <form className="grid gap-8" onSubmit={form.onSubmit} noValidate>
        {children?.(form.errorOf)}
        {error !== null && <ErrorText>{error}</ErrorText>}
        <Button type="submit" kind="primary" size="large" isBusy={form.isBusy}>
          {submit}
        </Button>
      </form>
      {error !== null && <BackToSignIn />}
    </EntrancePage>
  );
}

export function UseSignInLink() {
  return (
    <LinkForm
      title={m.useLink.title}
      lead={m.useLink.lead}
      submit={m.useLink.submit}
      path="/sign-in/link/use"
    />
  );
}

export function NewPasswordField({ error, hint }: { readonly error: string | null; readonly hint?: string }) {
  const { data } = useSuspenseQuery(entranceQuery);
  return (
    <Field
      label={m.fields.newPassword}
      name="password"
      type="password"
      autoComplete="new-password"
      hint={hint ?? m.fields.passwordHint(data.min_password_length)}
      error={error}
    />
  );
}

export function SetPassword() {
  return (
    <LinkForm
      title={m.setPassword.title}
      lead={m.setPassword.lead}
      submit={m.setPassword.submit}
      path="/password/set"
      valuesOf={({ password, revoke_tokens: revokes }) => ({
        password,
        revoke_tokens: revokes !== undefined,
      })}
    >
      {(errorOf) => (
        <>
          <NewPasswordField error={errorOf('password')} />
          <Checkbox
            label={m.setPassword.revokeTokens}
            hint={m.setPassword.revokeTokensHint}
            name="revoke_tokens"
            defaultChecked
          />
        </>
      )}
    </LinkForm>
  );
}

export const NameField = ({ error }: { readonly error: string | null }) => (
  <Field label={m.fields.name} name="name" autoComplete="name" hint={m.fields.nameHint} error={error} />
);

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function FinishSignUp() {
  return (
    <LinkForm
      title={m.signUp.finishTitle}
      lead={m.signUp.finishLead}
      submit={m.signUp.submit}
      path="/sign-up/finish"
      valuesOf={({ name, password }) => ({
        name,
        tz: browserZone(),
        ...(password !== '' && { password }),
      })}
    >
      {(errorOf) => (
        <>
          <NameField error={errorOf('name')} />
          <NewPasswordField error={errorOf('password')} hint={m.signUp.passwordOptional} />
        </>
      )}
    </LinkForm>
  );
}

export function Setup() {
  return (
    <LinkForm title={m.setup.title} lead={m.setup.lead} submit={m.setup.submit} path="/setup">
      {(errorOf) => (
        <>
          <NameField error={errorOf('name')} />
          <Field
            label={m.fields.email}
            name="email"
            type="email"
            placeholder={m.fields.emailPlaceholder}
            autoComplete="username"
            error={errorOf('email')}
          />
          <NewPasswordField error={errorOf('password')} />
        </>
      )}
    </LinkForm>
  );
}
