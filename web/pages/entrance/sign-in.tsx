import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FingerprintPattern, Mail, Shield } from 'lucide-react';
import { useRef, useState } from 'react';
import type { EntranceJson } from '../../../src/wire/dashboard/entrance-output.ts';
import { ApiError, post } from '../../app/api.ts';
import { open } from '../../app/next.ts';
import { nextPath } from '../../app/next-path.ts';
import { type Challenge, signChallenge } from '../../app/passkeys.ts';
import { entranceQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { MailSent } from './mail-sent.tsx';
import { type PendingSignIn, SecondFactor, type SignInAnswer } from './second-factor.tsx';

/** Where the page is: it asks for a password, then for a second factor, or says that a mail was sent. */
type Stage =
  | { readonly at: 'start' }
  | { readonly at: 'second factor'; readonly step: PendingSignIn }
  | { readonly at: 'mail sent'; readonly email: string; readonly pending: string };

export function SignIn() {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const [stage, setStage] = useState<Stage>({ at: 'start' });
  const goOn = (answer: SignInAnswer) => {
    if (answer === null) open(nextPath(location));
    else setStage({ at: 'second factor', step: answer });
  };
  if (stage.at === 'second factor') return <SecondFactor step={stage.step} />;
  if (stage.at === 'mail sent')
    return <MailSent email={stage.email} path="/sign-in/link" pending={stage.pending} onSignedIn={goOn} />;
  const { is_local: isLocal, provider, is_by_proxy: isByProxy } = entrance.sign_in;
  const query = new URLSearchParams(location.search);
  return (
    <EntrancePage title={m.signIn.title} lead={m.motto}>
      {query.has('refused') && <ErrorText>{m.signIn.refused}</ErrorText>}
      {query.has('expired') && <ErrorText>{m.signIn.expired}</ErrorText>}
      {isByProxy && <p className="text-14 text-ink-2">{m.signIn.byProxy}</p>}
      {entrance.has_passkeys && <PasskeyButton onSignedIn={goOn} />}
      {provider !== null && <ProviderButton name={provider.name} />}
      {isLocal && (entrance.has_passkeys || provider !== null) && <Or />}
      {isLocal && (
        <PasswordForm
          entrance={entrance}
          onAnswer={goOn}
          onMailSent={(sent) => setStage({ at: 'mail sent', ...sent })}
        />
      )}
      {entrance.sign_up.is_open && (
        <p className="text-12 text-ink-3">
          {m.signIn.noAccount}{' '}
          <Link to="/accounts/sign-up/" className="font-medium text-link">
            {m.signIn.signUp}
          </Link>
        </p>
      )}
    </EntrancePage>
  );
}

function PasskeyButton({ onSignedIn }: { readonly onSignedIn: (answer: SignInAnswer) => void }) {
  const { mutate, error, isPending } = useMutation({ mutationFn: signInWithPasskey, onSuccess: onSignedIn });
  return (
    <>
      <Button kind="primary" size="large" isBusy={isPending} onClick={() => mutate()}>
        <FingerprintPattern className="size-8" strokeWidth={1.5} aria-hidden="true" />
        {m.signIn.passkey}
      </Button>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
    </>
  );
}

async function signInWithPasskey(): Promise<SignInAnswer> {
  const challenge = await post<Challenge>('/sign-in/passkey/begin');
  return post('/sign-in/passkey', await signChallenge(challenge));
}

/** Leads to the provider, which sends the person back. */
function ProviderButton({ name }: { readonly name: string }) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => post<{ readonly address: string }>('/sign-in/provider', { next: nextPath(location) }),
    onSuccess: ({ address }) => location.assign(address),
  });
  return (
    <>
      <Button size="large" isBusy={isPending} onClick={() => mutate()}>
        <Shield className="size-8 text-ink-3" strokeWidth={1.5} aria-hidden="true" />
        {m.signIn.provider(name)}
      </Button>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
    </>
  );
}

function Or() {
  return (
    <div className="flex items-center gap-6 text-12 text-ink-3 before:flex-1 before:border-t before:border-line after:flex-1 after:border-t after:border-line">
      {m.or}
    </div>
  );
}

function PasswordForm({
  entrance,
  onAnswer,
  onMailSent,
}: {
  readonly entrance: EntranceJson;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onMailSent: (sent: { readonly email: string; readonly pending: string }) => void;
}) {
  const email = useRef<HTMLInputElement>(null);
  const password = useForm<SignInAnswer>((values) => post('/sign-in', values), onAnswer);
  const link = useForm(async ({ email: address = '' }) => {
    if (address.trim() === '') throw new ApiError(m.signIn.emailFirst, null, 'email');
    const { pending } = await post<{ readonly pending: string }>('/sign-in/link', { email: address });
    return { email: address, pending };
  }, onMailSent);
  const other = password.otherError('email', 'password') ?? link.otherError('email');
  return (
    <form className="grid gap-8" onSubmit={password.onSubmit} noValidate>
      <Field
        label={m.fields.email}
        name="email"
        type="email"
        inputRef={email}
        placeholder={m.fields.emailPlaceholder}
        autoComplete="username webauthn"
        error={password.errorOf('email') ?? link.errorOf('email')}
      />
      <Field
        label={m.fields.password}
        name="password"
        type="password"
        autoComplete="current-password"
        error={password.errorOf('password')}
        aside={
          entrance.has_mail && (
            <Link to="/accounts/password/" className="text-12 font-medium text-link">
              {m.signIn.forgot}
            </Link>
          )
        }
      />
      {other !== null && <ErrorText>{other}</ErrorText>}
      <div className="flex gap-4">
        <Button type="submit" size="large" className="flex-1" isBusy={password.isBusy}>
          {m.signIn.submit}
        </Button>
        {entrance.has_mail && (
          <Button
            size="large"
            className="flex-1"
            isBusy={link.isBusy}
            onClick={() => link.send({ email: email.current?.value ?? '' })}
          >
            <Mail className="size-8 text-ink-3" strokeWidth={1.5} aria-hidden="true" />
            {m.signIn.mailLink}
          </Button>
        )}
      </div>
    </form>
  );
}
