import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Mail } from 'lucide-react';
import { useRef, useState } from 'react';
import type { EntranceJson } from '../../../src/wire/dashboard/entrance-output.ts';
import { ApiError, post } from '../../app/api.ts';
import { open } from '../../app/next.ts';
import { nextPath } from '../../app/next-path.ts';
import { entranceQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { MailSent } from './mail-sent.tsx';
import { OtherWay } from './other-way.tsx';
import { type PendingSignIn, SecondFactor, type SignInAnswer } from './second-factor.tsx';
import { askForLink, PasskeyButton, ProviderButton, type SentMail } from './ways.tsx';

/** Where the page is: it asks for a password, then for a second factor, or for something else, or says that a mail was sent. */
type Stage =
  | { readonly at: 'start' }
  | { readonly at: 'second factor'; readonly step: PendingSignIn }
  | { readonly at: 'other way'; readonly email: string }
  | ({ readonly at: 'mail sent' } & SentMail);

export function SignIn() {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const [stage, setStage] = useState<Stage>({ at: 'start' });
  const goOn = (answer: SignInAnswer) => {
    if (answer === null) open(nextPath(location));
    else setStage({ at: 'second factor', step: answer });
  };
  if (stage.at === 'second factor') return <SecondFactor step={stage.step} />;
  const onMailSent = (sent: SentMail) => setStage({ at: 'mail sent', ...sent });
  const onBack = () => setStage({ at: 'start' });
  if (stage.at === 'mail sent')
    return (
      <MailSent
        email={stage.email}
        path="/sign-in/link"
        pending={stage.pending}
        onSignedIn={goOn}
        onBack={onBack}
      />
    );
  if (stage.at === 'other way')
    return (
      <OtherWay
        email={stage.email}
        entrance={entrance}
        onAnswer={goOn}
        onMailSent={onMailSent}
        onBack={onBack}
      />
    );
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
          onMailSent={onMailSent}
          onOtherWay={(email) => setStage({ at: 'other way', email })}
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
  onOtherWay,
}: {
  readonly entrance: EntranceJson;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onMailSent: (sent: SentMail) => void;
  /** Passwords for this address are not taken for now. */
  readonly onOtherWay: (email: string) => void;
}) {
  const email = useRef<HTMLInputElement>(null);
  const password = useForm<SignInAnswer>(async (values) => {
    try {
      return await post('/sign-in', values);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'other_way_needed') onOtherWay(values.email ?? '');
      throw error;
    }
  }, onAnswer);
  const link = useForm(async ({ email: address = '' }) => {
    if (address.trim() === '') throw new ApiError(m.signIn.emailFirst, null, 'email');
    return askForLink(address);
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
