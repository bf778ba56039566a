import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Mail } from 'lucide-react';
import { useState } from 'react';
import { actOnce } from '../../app/act.ts';
import { ApiError } from '../../app/api.ts';
import { DEMO_KEY } from '../../app/demo.tsx';
import { LookAround } from '../../app/look-around.tsx';
import { open } from '../../app/next.ts';
import { nextPath, withNext } from '../../app/next-path.ts';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { Note } from '../../ui/note.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { MailedCodeForm, MailSent } from './mail-sent.tsx';
import { OtherWay } from './other-way.tsx';
import { type PendingSignIn, SecondFactor, type SignInAnswer } from './second-factor.tsx';
import { askForLink, PasskeyButton, ProviderButton, type SentMail } from './ways.tsx';

/** The page asks for a password, then for a second factor, or for something else, or says that a mail was sent. */
type Stage =
  | { readonly at: 'start' }
  | { readonly at: 'second factor'; readonly step: PendingSignIn }
  | { readonly at: 'other way'; readonly email: string }
  | ({ readonly at: 'mail sent' } & SentMail);

export function SignIn() {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const [stage, setStage] = useState<Stage>({ at: 'start' });
  const next = (answer: SignInAnswer) => {
    if (answer === null) open(nextPath(location));
    else setStage({ at: 'second factor', step: answer });
  };
  if (stage.at === 'second factor') return <SecondFactor step={stage.step} next={nextPath(location)} />;
  const onMailSent = (sent: SentMail) => setStage({ at: 'mail sent', ...sent });
  const onBack = () => setStage({ at: 'start' });
  if (stage.at === 'mail sent')
    return (
      <MailSent email={stage.email} onBack={onBack}>
        <MailedCodeForm pending={stage.pending} onSignedIn={next} />
      </MailSent>
    );
  if (stage.at === 'other way')
    return (
      <OtherWay
        email={stage.email}
        entrance={entrance}
        onAnswer={next}
        onMailSent={onMailSent}
        onBack={onBack}
      />
    );
  const { isLocal, provider, isByProxy } = entrance.signIn;
  const search = new URLSearchParams(location.search);
  return (
    <EntrancePage
      title={DEMO_KEY === null ? m.signIn.title : m.demo.title}
      lead={DEMO_KEY === null ? m.motto : m.demo.lead}
    >
      {DEMO_KEY !== null && <LookAround onDone={() => next(null)} />}
      {search.has('refused') && <ErrorText>{m.signIn.refused}</ErrorText>}
      {search.has('expired') && <ErrorText>{m.signIn.expired}</ErrorText>}
      {entrance.needsSetup && (
        <Note>
          <b>{m.signIn.needsSetup}</b> {m.signIn.setupLink}{' '}
          <code className="wrap-anywhere">{m.signIn.setupCommand}</code>
        </Note>
      )}
      {isByProxy && <p className="text-14 text-ink-2">{m.signIn.byProxy}</p>}
      {entrance.hasPasskeys && <PasskeyButton onSignedIn={next} />}
      {provider !== null && <ProviderButton name={provider.name} />}
      {isLocal && (entrance.hasPasskeys || provider !== null) && <Or />}
      {isLocal && (
        <PasswordForm
          entrance={entrance}
          onAnswer={next}
          onMailSent={onMailSent}
          onOtherWay={(email) => setStage({ at: 'other way', email })}
        />
      )}
      {entrance.signUp.isOpen && (
        <p className="text-12 text-ink-3">
          {m.signIn.noAccount}{' '}
          <Link to="/accounts/sign-up/" search={searchForMail()} className="font-medium text-link">
            {m.signIn.signUp}
          </Link>
        </p>
      )}
    </EntrancePage>
  );
}

/** For the pages that mail a link. A fragment would be the secret of such a link there. */
function searchForMail(): { readonly next?: string } {
  const { search, hash } = withNext(nextPath(location));
  return hash === '' ? search : {};
}

function Or() {
  return (
    <div className="flex items-center gap-3 text-12 text-ink-3 before:flex-1 before:border-t before:border-line after:flex-1 after:border-t after:border-line">
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
  readonly entrance: Answer<'entrance'>;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onMailSent: (sent: SentMail) => void;
  /** Passwords for this address are not taken for now. */
  readonly onOtherWay: (email: string) => void;
}) {
  const signIn = async (values: Readonly<Record<string, string>>) => {
    const { email = '', password = '' } = values;
    try {
      onAnswer(await actOnce.signInWithPassword({ email, password }));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'other_way_needed') onOtherWay(email);
      throw error;
    }
  };
  const mailLink = async ({ email = '' }) => {
    if (email.trim() === '') throw new ApiError(m.signIn.emailFirst, null, 'email');
    onMailSent(await askForLink(email));
  };
  return (
    <Form
      className="grid gap-4"
      send={(values) => (values.way === 'link' ? mailLink(values) : signIn(values))}
      noValidate
    >
      <Field
        label={m.fields.email}
        name="email"
        type="email"
        placeholder={m.fields.emailPlaceholder}
        autoComplete="username webauthn"
      />
      <Field
        label={m.fields.password}
        name="password"
        type="password"
        autoComplete="current-password"
        aside={
          entrance.hasMail && (
            <Link
              to="/accounts/password/"
              search={searchForMail()}
              className="touch text-12 font-medium text-link"
            >
              {m.signIn.forgot}
            </Link>
          )
        }
      />
      <FormError />
      <div className="flex gap-2">
        <Submit kind="plain" size="large" className="flex-1" name="way" value="password">
          {m.signIn.submit}
        </Submit>
        {entrance.hasMail && (
          <Submit kind="plain" size="large" className="flex-1" name="way" value="link">
            <Mail className="size-4 text-ink-3" />
            {m.signIn.mailLink}
          </Submit>
        )}
      </div>
    </Form>
  );
}
