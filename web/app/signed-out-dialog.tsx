import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { FingerprintPattern, KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { SignedInJson } from '../../src/wire/dashboard/session-output.ts';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorText } from '../ui/error-text.tsx';
import { Field } from '../ui/field.tsx';
import { ApiError, ROOT, sendOnce } from './api.ts';
import { type Challenge, signChallenge } from './passkeys.ts';
import { entranceQuery, sessionQuery } from './queries.ts';
import { useForm } from './use-form.ts';

/** The first proof was accepted. One of these has to follow. */
interface SecondStep {
  readonly pending: string;
  readonly second_factors: readonly string[];
}

type Step = SecondStep | null;

/** Lets the person in again, over the page as they left it. */
export default function SignedOutDialog({ onDone }: { readonly onDone: (isDone: boolean) => void }) {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const { data: before } = useSuspenseQuery(sessionQuery);
  const queries = useQueryClient();
  const [second, setSecond] = useState<Step>(null);
  const check = useMutation({
    mutationFn: async () => {
      const now = await sendOnce<SignedInJson>('GET', '/session').catch((error: unknown) => {
        const isOut = error instanceof ApiError && error.code === 'not_signed_in';
        throw isOut ? new ApiError(m.signedOut.notYet) : error;
      });
      // What the page shows belongs to somebody else.
      if (now.account.uuid !== before.account.uuid) location.assign(`${ROOT}/`);
      return now;
    },
    onSuccess: (now) => {
      queries.setQueryData(sessionQuery.queryKey, now);
      onDone(true);
    },
  });
  const goOn = (step: Step) => (step === null ? check.mutate() : setSecond(step));
  const { is_local: isLocal } = entrance.sign_in;
  return (
    <Dialog title={m.signedOut.title} mustStay onClose={() => onDone(false)}>
      <p className="text-13 text-ink-2">{m.signedOut.lead}</p>
      {second !== null && <SecondFactor step={second} onDone={goOn} />}
      {second === null && entrance.has_passkeys && <PasskeyButton onDone={goOn} />}
      {second === null && isLocal && <PasswordForm email={before.account.email} onDone={goOn} />}
      {check.error !== null && <ErrorText>{check.error.message}</ErrorText>}
      <div className="flex flex-wrap items-center justify-between gap-4 border-t border-line pt-6 text-12">
        <a
          href={`${ROOT}/accounts/login/`}
          target="_blank"
          rel="noreferrer"
          className="font-medium text-link"
        >
          {m.signedOut.elsewhere}
        </a>
        <Button size="small" isBusy={check.isPending} onClick={() => check.mutate()}>
          {m.signedOut.goOn}
        </Button>
      </div>
    </Dialog>
  );
}

interface StepProps {
  readonly onDone: (step: Step) => void;
}

function PasskeyButton({ onDone }: StepProps) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const challenge = await sendOnce<Challenge>('POST', '/sign-in/passkey/begin', {});
      return sendOnce<Step>('POST', '/sign-in/passkey', await signChallenge(challenge));
    },
    onSuccess: onDone,
  });
  return (
    <>
      <Button kind="primary" size="large" isBusy={isPending} onClick={() => mutate()}>
        <FingerprintPattern className="size-8" strokeWidth={1.5} aria-hidden="true" />
        {m.signedOut.passkey}
      </Button>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
    </>
  );
}

function PasswordForm({ email, onDone }: StepProps & { readonly email: string }) {
  const form = useForm<Step>((values) => sendOnce('POST', '/sign-in', { ...values, email }), onDone);
  const error = form.otherError('password');
  return (
    <form className="grid gap-6" onSubmit={form.onSubmit} noValidate>
      <Field
        label={m.signedOut.password(email)}
        name="password"
        type="password"
        autoComplete="current-password"
        autoFocus
        error={form.errorOf('password')}
      />
      {error !== null && <ErrorText>{error}</ErrorText>}
      <Button type="submit" size="large" isBusy={form.isBusy}>
        {m.signedOut.submit}
      </Button>
    </form>
  );
}

function SecondFactor({ step, onDone }: StepProps & { readonly step: SecondStep }) {
  const { pending, second_factors: ways } = step;
  const form = useForm<Step>(
    ({ code = '' }) => sendOnce('POST', '/sign-in/second-factor', { pending, code: code.trim() }),
    onDone,
  );
  const key = useMutation({
    mutationFn: async () => {
      const challenge = await sendOnce<Challenge>('POST', '/sign-in/second-factor/key/begin', { pending });
      const signed = await signChallenge(challenge);
      return sendOnce<Step>('POST', '/sign-in/second-factor/key', { pending, ...signed });
    },
    onSuccess: onDone,
  });
  const error = form.otherError('code') ?? key.error?.message ?? null;
  return (
    <form className="grid gap-6" onSubmit={form.onSubmit} noValidate>
      {ways.includes('security_key') && (
        <Button size="large" isBusy={key.isPending} onClick={() => key.mutate()}>
          <KeyRound className="size-8" strokeWidth={1.5} aria-hidden="true" />
          {m.signedOut.key}
        </Button>
      )}
      <Field
        label={m.signedOut.code}
        hint={m.signedOut.codeHint}
        name="code"
        autoComplete="one-time-code"
        autoFocus
        className="font-mono tracking-[.2em]"
        error={form.errorOf('code')}
      />
      {error !== null && <ErrorText>{error}</ErrorText>}
      <Button type="submit" size="large" isBusy={form.isBusy}>
        {m.signedOut.submit}
      </Button>
    </form>
  );
}
