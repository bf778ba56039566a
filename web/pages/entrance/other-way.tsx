import { Mail } from 'lucide-react';
import type { Answer } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import type { SignInAnswer } from './second-factor.tsx';
import { askForLink, PasskeyButton, ProviderButton, type SentMail } from './ways.tsx';

/** Passwords are not taken for now, since too many wrong ones were tried. Says so, and offers the other ways. */
export function OtherWay({
  email,
  entrance,
  onAnswer,
  onMailSent,
  onBack,
}: {
  readonly email: string;
  readonly entrance: Answer<'entrance'>;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onMailSent: (sent: SentMail) => void;
  readonly onBack: () => void;
}) {
  const { provider } = entrance.signIn;
  return (
    <EntrancePage title={m.otherWay.title}>
      <p role="alert" className="text-14 text-ink-2">
        {m.otherWay.why}
      </p>
      {entrance.hasPasskeys && <PasskeyButton onSignedIn={onAnswer} />}
      {entrance.hasMail && (
        <Form className="contents" send={() => askForLink(email)} done={onMailSent}>
          <Submit kind={entrance.hasPasskeys ? 'plain' : 'primary'} size="large">
            <Mail className="size-4" />
            <span className="truncate">{m.otherWay.mail(email)}</span>
          </Submit>
          <FormError />
        </Form>
      )}
      {provider !== null && <ProviderButton name={provider.name} />}
      <p className="text-12 text-ink-3">{entrance.hasMail ? m.otherWay.known : m.otherWay.knownOrAsk}</p>
      <BackToSignIn onBack={onBack} />
    </EntrancePage>
  );
}
