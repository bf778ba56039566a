import { startAuthentication } from '@simplewebauthn/browser';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FingerprintPattern, Mail } from 'lucide-react';
import { useRef, useState } from 'react';
import type { EntranceJson } from '../../src/wire/dashboard/entrance-output.ts';
import { ApiError, post } from '../app/api.ts';
import { nextPath, open } from '../app/next.ts';
import { entranceQuery } from '../app/queries.ts';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-text.tsx';
import { Field } from '../ui/field.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { MailSent } from './mail-sent.tsx';
import { SecondFactor, type SignInAnswer } from './second-factor.tsx';
import { useForm } from './use-form.ts';

/** Where the page is: it asks for a password, then for a second factor, or says that a mail was sent. */
type Stage =
  | { readonly at: 'start' }
  | { readonly at: 'second factor'; readonly pending: string }
  | { readonly at: 'mail sent'; readonly email: string };

export function SignIn() {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const [stage, setStage] = useState<Stage>({ at: 'start' });
  const goOn = (answer: SignInAnswer) => {
    if (answer === null) open(nextPath(location.search));
    else setStage({ at: 'second factor', pending: answer.pending });
  };
  if (stage.at === 'second factor') return <SecondFactor pending={stage.pending} />;
  if (stage.at === 'mail sent') return <MailSent email={stage.email} path="/sign-in/link" />;
  return (
    <EntrancePage title={m.signIn.title} lead={m.motto}>
      {entrance.has_passkeys && <PasskeyButton onSignedIn={goOn} />}
      <PasswordForm
        entrance={entrance}
        onAnswer={goOn}
        onMailSent={(email) => setStage({ at: 'mail sent', email })}
      />
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
      <div className="flex items-center gap-6 text-12 text-ink-3 before:flex-1 before:border-t before:border-line after:flex-1 after:border-t after:border-line">
        {m.or}
      </div>
    </>
  );
}

async function signInWithPasskey(): Promise<SignInAnswer> {
  const { options, sealed } = await post<{
    options: Parameters<typeof startAuthentication>[0]['optionsJSON'];
    sealed: string;
  }>('/sign-in/passkey/begin');
  const response = await startAuthentication({ optionsJSON: options }).catch(() => {
    throw new ApiError(m.signIn.passkeyFailed);
  });
  return post('/sign-in/passkey', { sealed, response });
}

function PasswordForm({
  entrance,
  onAnswer,
  onMailSent,
}: {
  readonly entrance: EntranceJson;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onMailSent: (email: string) => void;
}) {
  const email = useRef<HTMLInputElement>(null);
  const password = useForm<SignInAnswer>((values) => post('/sign-in', values), onAnswer);
  const link = useForm(async ({ email: address = '' }) => {
    if (address.trim() === '') throw new ApiError(m.signIn.emailFirst, null, 'email');
    await post('/sign-in/link', { email: address });
    return address;
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
