import { useMutation } from '@tanstack/react-query';
import { FingerprintPattern, Shield } from 'lucide-react';
import { post } from '../../app/api.ts';
import { nextPath } from '../../app/next-path.ts';
import { type Challenge, signChallenge } from '../../app/passkeys.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import type { SignInAnswer } from './second-factor.tsx';

export function PasskeyButton({ onSignedIn }: { readonly onSignedIn: (answer: SignInAnswer) => void }) {
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
export function ProviderButton({ name }: { readonly name: string }) {
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

/** A mail that was asked for. With `pending` its code works in this browser. */
export interface SentMail {
  readonly email: string;
  readonly pending: string;
}

export async function askForLink(email: string): Promise<SentMail> {
  const { pending } = await post<{ readonly pending: string }>('/sign-in/link', { email });
  return { email, pending };
}
