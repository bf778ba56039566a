import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { FingerprintPattern, Mail, Shield } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { m } from '../messages/index.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Refusal } from '../ui/error-text.tsx';
import { Field } from '../ui/field.tsx';
import { Form, FormError, Submit } from '../ui/form.tsx';
import { actOnce } from './act.ts';
import { ROOT } from './api.ts';
import { signChallenge } from './passkeys.ts';
import { type Answer, query, readOnce } from './read.ts';

type Way = Answer<'confirmationWays'>[number];

/** Asks for a proof of the person's identity, in the ways that the server offers. */
export default function ProofDialog({ onDone }: { readonly onDone: (isDone: boolean) => void }) {
  const ways = useQuery({
    queryKey: ['proof'],
    queryFn: () => readOnce.confirmationWays(),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Dialog title={m.proof.title} onClose={() => onDone(false)}>
      <p className="text-13 text-ink-2">{m.proof.lead}</p>
      <Refusal error={ways.error} />
      {ways.data?.length === 0 && <p className="text-13">{m.proof.none}</p>}
      {ways.data?.map((way, place) => (
        <Proof key={way} way={way} isFirst={place === 0} onProved={() => onDone(true)} />
      ))}
    </Dialog>
  );
}

interface ProofProps {
  /** The easiest proof is the one that people see first. */
  readonly isFirst: boolean;
  readonly onProved: () => void;
}

function Proof({ way, ...props }: ProofProps & { readonly way: Way }): ReactNode {
  switch (way) {
    case 'passkey':
      return <PasskeyProof {...props} />;
    case 'password':
      return (
        <TypedProof
          {...props}
          name="password"
          label={m.proof.password}
          send={(password) => actOnce.confirmByPassword({ password })}
        />
      );
    case 'code':
      return (
        <TypedProof
          {...props}
          name="code"
          label={m.proof.code}
          hint={m.proof.codeHint}
          send={(code) => actOnce.confirmByCode({ code })}
        />
      );
    case 'recovery_code':
      return (
        <TypedProof
          {...props}
          name="code"
          label={m.proof.recoveryCode}
          send={(code) => actOnce.confirmByCode({ code })}
        />
      );
    case 'mail':
      return <MailedProof {...props} />;
    case 'provider':
      return <ProviderProof />;
    default:
      return way satisfies never;
  }
}

function PasskeyProof({ isFirst, onProved }: ProofProps) {
  const prove = async () => actOnce.confirmByKey(await signChallenge(await actOnce.beginConfirmationByKey()));
  return (
    <Form className="contents" send={prove} done={onProved}>
      <Submit kind={isFirst ? 'primary' : 'plain'} size="large" autoFocus={isFirst}>
        <FingerprintPattern className="size-4" />
        {m.proof.passkey}
      </Submit>
      <FormError />
    </Form>
  );
}

/** A password or a code. */
function TypedProof({
  isFirst,
  onProved,
  name,
  label,
  hint,
  send,
}: ProofProps & {
  readonly name: 'password' | 'code';
  readonly label: string;
  readonly hint?: string;
  readonly send: (typed: string) => Promise<unknown>;
}) {
  return (
    <Form send={(values) => send(values[name] ?? '')} done={onProved} noValidate>
      <Field
        label={label}
        name={name}
        hint={hint}
        type={name === 'password' ? 'password' : 'text'}
        autoComplete={name === 'password' ? 'current-password' : 'one-time-code'}
        autoFocus={isFirst}
      />
      <FormError />
      <Submit size="large" kind={isFirst ? 'primary' : 'plain'}>
        {m.proof.submit}
      </Submit>
    </Form>
  );
}

/** The code is sent when the person asks for it, and works in this session alone. */
function MailedProof(props: ProofProps) {
  const { data: session } = useSuspenseQuery(query.signedIn());
  const [pending, setPending] = useState<string | null>(null);
  const { email } = session.account;
  if (pending !== null)
    return (
      <TypedProof
        {...props}
        name="code"
        label={m.proof.mailed(email)}
        send={(code) => actOnce.confirmByMailedCode({ code, pending })}
      />
    );
  return (
    <Form
      className="contents"
      send={() => actOnce.mailConfirmationCode()}
      done={(answer) => setPending(answer.pending)}
    >
      <Submit kind={props.isFirst ? 'primary' : 'plain'} size="large">
        <Mail className="size-4" />
        <span className="truncate">{m.proof.mail(email)}</span>
      </Submit>
      <FormError />
    </Form>
  );
}

/** Leads to the provider, which sends the person back to this page. */
function ProviderProof() {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const next = location.pathname.slice(ROOT.length) + location.search;
  return (
    <Form
      className="grid gap-1"
      send={() => actOnce.confirmByProvider({ next })}
      done={({ address }) => location.assign(address)}
    >
      <Submit kind="plain" size="large">
        <Shield className="size-4" />
        {m.proof.provider(entrance.signIn.provider?.name ?? '')}
      </Submit>
      <p className="text-12 text-ink-3">{m.proof.providerLead}</p>
      <FormError />
    </Form>
  );
}
