import { FingerprintPattern, Shield } from 'lucide-react';
import { actOnce } from '../../app/act.ts';
import { nextPath, sentPath } from '../../app/next-path.ts';
import { signChallenge } from '../../app/passkeys.ts';
import { m } from '../../messages/index.ts';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import type { SignInAnswer } from './second-factor.tsx';

export function PasskeyButton({ onSignedIn }: { readonly onSignedIn: (answer: SignInAnswer) => void }) {
  const sign = async () =>
    actOnce.signInWithPasskey(await signChallenge(await actOnce.beginSignInByPasskey()));
  return (
    <Form className="contents" send={sign} done={onSignedIn} isKept>
      <Submit size="large">
        <FingerprintPattern className="size-4" />
        {m.signIn.passkey}
      </Submit>
      <FormError />
    </Form>
  );
}

/** Leads to the provider, which sends the person back. */
export function ProviderButton({ name }: { readonly name: string }) {
  return (
    <Form
      className="contents"
      send={() => actOnce.signInByProvider({ next: sentPath(nextPath(location)) })}
      done={({ address }) => location.assign(address)}
      isKept
    >
      <Submit kind="plain" size="large">
        <Shield className="size-4 text-ink-3" />
        {m.signIn.provider(name)}
      </Submit>
      <FormError />
    </Form>
  );
}

/** A mail that was asked for. With `pending` its code works in this browser. */
export interface SentMail {
  readonly email: string;
  readonly pending: string;
}

export async function askForLink(email: string): Promise<SentMail> {
  return { email, ...(await actOnce.mailSignIn({ email, next: sentPath(nextPath(location)) })) };
}
