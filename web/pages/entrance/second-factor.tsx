import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { ApiError, post } from '../../app/api.ts';
import { open } from '../../app/next.ts';
import { nextPath } from '../../app/next-path.ts';
import { type Challenge, signChallenge } from '../../app/passkeys.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { EntrancePage } from './entrance-page.tsx';

/** The first proof was accepted. One of these has to follow. */
export interface PendingSignIn {
  readonly pending: string;
  readonly second_factors: readonly ('totp' | 'security_key' | 'recovery_code')[];
}

/** Null when the person is signed in. */
export type SignInAnswer = PendingSignIn | null;

const CODE_LENGTH = 6;

export function SecondFactor({ step }: { readonly step: PendingSignIn }) {
  const ways = step.second_factors;
  const takesCode = ways.includes('totp') || ways.includes('recovery_code');
  return (
    <EntrancePage
      title={m.secondFactor.title}
      lead={ways.includes('totp') ? m.secondFactor.lead : m.secondFactor.leadWithoutApp}
    >
      {ways.includes('security_key') && <KeyButton pending={step.pending} />}
      {takesCode && <CodeForm pending={step.pending} />}
    </EntrancePage>
  );
}

const goOn = () => open(nextPath(location));

/** Whoever took too long begins anew, and still comes to where they wanted to go. */
function orStartAgain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'sign_in_expired') {
    const next = new URLSearchParams(location.search).get('next');
    open(`/accounts/login/?${new URLSearchParams({ expired: '', ...(next !== null && { next }) })}`);
  }
  throw error;
}

function KeyButton({ pending }: { readonly pending: string }) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => signWithKey(pending).catch(orStartAgain),
    onSuccess: goOn,
  });
  return (
    <>
      <Button kind="primary" size="large" isBusy={isPending} onClick={() => mutate()}>
        <KeyRound className="size-8" strokeWidth={1.5} aria-hidden="true" />
        {m.secondFactor.key}
      </Button>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
    </>
  );
}

async function signWithKey(pending: string): Promise<void> {
  const challenge = await post<Challenge>('/sign-in/second-factor/key/begin', { pending });
  await post('/sign-in/second-factor/key', { pending, ...(await signChallenge(challenge)) });
}

function CodeForm({ pending }: { readonly pending: string }) {
  const form = useForm(
    ({ code = '' }) => post('/sign-in/second-factor', { pending, code: code.trim() }).catch(orStartAgain),
    goOn,
  );
  const error = form.otherError('code');
  return (
    <form className="grid gap-8" onSubmit={form.onSubmit} noValidate>
      <Field
        label={m.fields.code}
        name="code"
        autoComplete="one-time-code"
        autoFocus
        className="font-mono tracking-[.2em]"
        error={form.errorOf('code')}
        onChange={({ currentTarget: { value } }) => {
          if (/^\d+$/.test(value) && value.length === CODE_LENGTH) form.send({ code: value });
        }}
      />
      {error !== null && <ErrorText>{error}</ErrorText>}
      <Button type="submit" size="large" isBusy={form.isBusy}>
        {m.secondFactor.submit}
      </Button>
    </form>
  );
}
