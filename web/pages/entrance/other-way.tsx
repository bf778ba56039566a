import { useMutation } from '@tanstack/react-query';
import { Mail } from 'lucide-react';
import type { EntranceJson } from '../../../src/wire/dashboard/entrance-output.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import type { SignInAnswer } from './second-factor.tsx';
import { askForLink, PasskeyButton, ProviderButton, type SentMail } from './ways.tsx';

/** Passwords are not taken for now, since too many wrong ones were tried. Says so, and offers what is left. */
export function OtherWay({
  email,
  entrance,
  onAnswer,
  onMailSent,
  onBack,
}: {
  readonly email: string;
  readonly entrance: EntranceJson;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onMailSent: (sent: SentMail) => void;
  readonly onBack: () => void;
}) {
  const link = useMutation({ mutationFn: () => askForLink(email), onSuccess: onMailSent });
  const { provider } = entrance.sign_in;
  return (
    <EntrancePage title={m.otherWay.title}>
      <p role="alert" className="text-14 text-ink-2">
        {m.otherWay.why}
      </p>
      {entrance.has_passkeys && <PasskeyButton onSignedIn={onAnswer} />}
      {entrance.has_mail && (
        <Button
          kind={entrance.has_passkeys ? 'plain' : 'primary'}
          size="large"
          isBusy={link.isPending}
          onClick={() => link.mutate()}
        >
          <Mail className="size-8" strokeWidth={1.5} aria-hidden="true" />
          <span className="truncate">{m.otherWay.mail(email)}</span>
        </Button>
      )}
      {link.error !== null && <ErrorText>{link.error.message}</ErrorText>}
      {provider !== null && <ProviderButton name={provider.name} />}
      <p className="text-12 text-ink-3">{entrance.has_mail ? m.otherWay.known : m.otherWay.knownOrAsk}</p>
      <BackToSignIn onBack={onBack} />
    </EntrancePage>
  );
}
