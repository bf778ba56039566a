import { KeyRound } from 'lucide-react';
import { type ActAnswer, actOnce } from '../../app/act.ts';
import { ApiError } from '../../app/api.ts';
import { open } from '../../app/next.ts';
import { withNext } from '../../app/next-path.ts';
import { signChallenge } from '../../app/passkeys.ts';
import { m } from '../../messages/index.ts';
import { Field } from '../../ui/field.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { EntrancePage } from './entrance-page.tsx';

/** Null when the person is signed in. */
export type SignInAnswer = ActAnswer<'signInWithPassword'>;

/** The first proof was accepted. One of the second factors has to follow. */
export type PendingSignIn = NonNullable<SignInAnswer>;

const CODE_LENGTH = 6;

export function SecondFactor({
  step,
  next,
}: {
  readonly step: PendingSignIn;
  /** The path where the person goes on. */
  readonly next: string;
}) {
  const ways = step.secondFactors;
  const takesCode = ways.includes('totp') || ways.includes('recovery_code');
  return (
    <EntrancePage
      title={m.secondFactor.title}
      lead={ways.includes('totp') ? m.secondFactor.lead : m.secondFactor.leadWithoutApp}
    >
      {ways.includes('security_key') && <KeyButton pending={step.pending} next={next} />}
      {takesCode && <CodeForm pending={step.pending} next={next} />}
    </EntrancePage>
  );
}

/** A person who took too long begins anew, and still gets to their page. */
const orStartAgain = (next: string) => (error: unknown) => {
  if (error instanceof ApiError && error.code === 'sign_in_expired') {
    const { search, hash } = withNext(next);
    open(`/accounts/login/?${new URLSearchParams({ expired: '', ...search })}${hash && `#${hash}`}`);
  }
  throw error;
};

interface StepProps {
  readonly pending: string;
  readonly next: string;
}

function KeyButton({ pending, next }: StepProps) {
  return (
    <Form
      className="contents"
      send={() => signWithKey(pending).catch(orStartAgain(next))}
      done={() => open(next)}
      isKept
    >
      <Submit size="large">
        <KeyRound className="size-4" />
        {m.secondFactor.key}
      </Submit>
      <FormError />
    </Form>
  );
}

async function signWithKey(pending: string): Promise<void> {
  const challenge = await actOnce.beginSignInByKey({ pending });
  await actOnce.signInWithKey({ pending, ...(await signChallenge(challenge)) });
}

function CodeForm({ pending, next }: StepProps) {
  const send = ({ code = '' }) =>
    actOnce.signInWithCode({ pending, code: code.trim() }).catch(orStartAgain(next));
  return (
    <Form className="grid gap-4" send={send} done={() => open(next)} noValidate>
      <Field
        label={m.fields.code}
        name="code"
        autoComplete="one-time-code"
        autoFocus
        className="font-mono tracking-[.2em]"
        onChange={({ currentTarget: { value, form } }) => {
          if (/^\d+$/.test(value) && value.length === CODE_LENGTH) form?.requestSubmit();
        }}
      />
      <FormError />
      <Submit kind="plain" size="large">
        {m.secondFactor.submit}
      </Submit>
    </Form>
  );
}
