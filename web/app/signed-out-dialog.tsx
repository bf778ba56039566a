import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { FingerprintPattern, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Refusal } from '../ui/error-text.tsx';
import { Field } from '../ui/field.tsx';
import { Form, FormError, Submit } from '../ui/form.tsx';
import { type ActAnswer, actOnce } from './act.ts';
import { ApiError, ROOT } from './api.ts';
import { DEMO_KEY } from './demo.tsx';
import { LookAround } from './look-around.tsx';
import { signChallenge } from './passkeys.ts';
import { query, readOnce } from './read.ts';
import { useShownAct } from './use-act.ts';

/** The step after the first proof. Null if the person is signed in. */
type Step = ActAnswer<'signInWithPassword'>;

/** Lets the person in again, over the page as they left it. */
export default function SignedOutDialog({ onDone }: { readonly onDone: (isDone: boolean) => void }) {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const { data: before } = useSuspenseQuery(query.signedIn());
  const queries = useQueryClient();
  const [second, setSecond] = useState<Step>(null);
  const check = useShownAct(
    async () => {
      const now = await readOnce.signedIn().catch((error: unknown) => {
        const isOut = error instanceof ApiError && error.code === 'not_signed_in';
        throw isOut ? new ApiError(m.signedOut.notYet) : error;
      });
      // The page shows data of another person.
      if (now.account.uuid !== before.account.uuid) location.assign(`${ROOT}/`);
      return now;
    },
    (now) => {
      queries.setQueryData(query.signedIn().queryKey, now);
      onDone(true);
    },
  );
  const next = (step: Step) => (step === null ? check.run() : setSecond(step));
  return (
    <Dialog title={m.signedOut.title} mustStay onClose={() => onDone(false)}>
      <p className="text-13 text-ink-2">{DEMO_KEY === null ? m.signedOut.lead : m.demo.anew}</p>
      {DEMO_KEY !== null && <LookAround onDone={() => next(null)} />}
      {second !== null && <SecondFactor step={second} onDone={next} />}
      {second === null && entrance.hasPasskeys && <PasskeyButton onDone={next} />}
      {second === null && entrance.signIn.isLocal && (
        <PasswordForm email={before.account.email} onDone={next} />
      )}
      <Refusal error={check.error} />
      <div className="flex flex-wrap items-center justify-between gap-2 border-t border-line pt-3 text-12">
        <a
          href={`${ROOT}/accounts/login/`}
          target="_blank"
          rel="noreferrer"
          className="font-medium text-link"
        >
          {m.signedOut.elsewhere}
        </a>
        <Button size="small" isBusy={check.isBusy} onClick={() => check.run()}>
          {m.signedOut.next}
        </Button>
      </div>
    </Dialog>
  );
}

interface StepProps {
  readonly onDone: (step: Step) => void;
}

function PasskeyButton({ onDone }: StepProps) {
  const sign = async () =>
    actOnce.signInWithPasskey(await signChallenge(await actOnce.beginSignInByPasskey()));
  return (
    <Form className="contents" send={sign} done={onDone} isKept>
      <Submit size="large">
        <FingerprintPattern className="size-4" />
        {m.signedOut.passkey}
      </Submit>
      <FormError />
    </Form>
  );
}

function PasswordForm({ email, onDone }: StepProps & { readonly email: string }) {
  const signIn = ({ password = '' }) => actOnce.signInWithPassword({ email, password });
  return (
    <Form send={signIn} done={onDone} noValidate>
      <Field
        label={m.signedOut.password(email)}
        name="password"
        type="password"
        autoComplete="current-password"
      />
      <FormError />
      <Submit kind="plain" size="large">
        {m.signedOut.submit}
      </Submit>
    </Form>
  );
}

function SecondFactor({ step, onDone }: StepProps & { readonly step: NonNullable<Step> }) {
  const { pending, secondFactors } = step;
  const sign = async () => {
    const challenge = await actOnce.beginSignInByKey({ pending });
    return actOnce.signInWithKey({ pending, ...(await signChallenge(challenge)) });
  };
  return (
    <>
      {secondFactors.includes('security_key') && (
        <Form className="contents" send={sign} done={onDone} isKept>
          <Submit kind="plain" size="large">
            <KeyRound className="size-4" />
            {m.signedOut.key}
          </Submit>
          <FormError />
        </Form>
      )}
      <Form
        send={({ code = '' }) => actOnce.signInWithCode({ pending, code: code.trim() })}
        done={onDone}
        noValidate
      >
        <Field
          label={m.signedOut.code}
          hint={m.signedOut.codeHint}
          name="code"
          autoComplete="one-time-code"
          autoFocus
          className="font-mono tracking-[.2em]"
        />
        <FormError />
        <Submit kind="plain" size="large">
          {m.signedOut.submit}
        </Submit>
      </Form>
    </>
  );
}
