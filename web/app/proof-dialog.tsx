import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { FingerprintPattern, Mail, Shield } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ConfirmationWaysJson } from '../../src/wire/dashboard/session-output.ts';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorText } from '../ui/error-text.tsx';
import { Field } from '../ui/field.tsx';
import { ROOT, sendOnce } from './api.ts';
import { type Challenge, signChallenge } from './passkeys.ts';
import { entranceQuery, sessionQuery } from './queries.ts';
import { useForm } from './use-form.ts';

type Way = ConfirmationWaysJson['ways'][number];

const ICON = { className: 'size-8', strokeWidth: 1.5, 'aria-hidden': true } as const;

/** Asks for a proof of who the person is, by what the server offers them. */
export default function ProofDialog({ onDone }: { readonly onDone: (isDone: boolean) => void }) {
  const queries = useQueryClient();
  const ways = useQuery({
    queryKey: ['proof'],
    queryFn: () => sendOnce<ConfirmationWaysJson>('GET', '/session/confirm'),
    staleTime: 0,
    gcTime: 0,
  });
  const done = () => {
    void queries.invalidateQueries(sessionQuery);
    onDone(true);
  };
  return (
    <Dialog title={m.proof.title} onClose={() => onDone(false)}>
      <p className="text-13 text-ink-2">{m.proof.lead}</p>
      {ways.error !== null && <ErrorText>{ways.error.message}</ErrorText>}
      {ways.data?.ways.length === 0 && <p className="text-13">{m.proof.none}</p>}
      {ways.data?.ways.map((way, place) => (
        <Proof key={way} way={way} isFirst={place === 0} onProved={done} />
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
      return <TypedProof {...props} name="password" label={m.proof.password} send={confirm} />;
    case 'code':
      return (
        <TypedProof {...props} name="code" label={m.proof.code} hint={m.proof.codeHint} send={confirm} />
      );
    case 'recovery_code':
      return <TypedProof {...props} name="code" label={m.proof.recoveryCode} send={confirm} />;
    case 'mail':
      return <MailedProof {...props} />;
    case 'provider':
      return <ProviderProof />;
    default:
      return way satisfies never;
  }
}

const confirm = (values: object) => sendOnce('POST', '/session/confirm', values);

function PasskeyProof({ isFirst, onProved }: ProofProps) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const challenge = await sendOnce<Challenge>('POST', '/session/confirm/passkey/begin', {});
      return sendOnce('POST', '/session/confirm/passkey', await signChallenge(challenge));
    },
    onSuccess: onProved,
  });
  return (
    <>
      <Button
        kind={isFirst ? 'primary' : 'plain'}
        size="large"
        isBusy={isPending}
        autoFocus={isFirst}
        onClick={() => mutate()}
      >
        <FingerprintPattern {...ICON} />
        {m.proof.passkey}
      </Button>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
    </>
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
  readonly send: (values: object) => Promise<unknown>;
}) {
  const form = useForm(send, onProved);
  const error = form.otherError(name);
  return (
    <form className="grid gap-6" onSubmit={form.onSubmit} noValidate>
      <Field
        label={label}
        name={name}
        hint={hint}
        type={name === 'password' ? 'password' : 'text'}
        autoComplete={name === 'password' ? 'current-password' : 'one-time-code'}
        autoFocus={isFirst}
        error={form.errorOf(name)}
      />
      {error !== null && <ErrorText>{error}</ErrorText>}
      <Button type="submit" size="large" kind={isFirst ? 'primary' : 'plain'} isBusy={form.isBusy}>
        {m.proof.submit}
      </Button>
    </form>
  );
}

/** The code is sent when the person asks for it, and works in this session alone. */
function MailedProof(props: ProofProps) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [pending, setPending] = useState<string | null>(null);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => sendOnce<{ readonly pending: string }>('POST', '/session/confirm/mail', {}),
    onSuccess: (answer) => setPending(answer.pending),
  });
  const { email } = session.account;
  if (pending !== null)
    return (
      <TypedProof
        {...props}
        name="code"
        label={m.proof.mailed(email)}
        send={(values) => sendOnce('POST', '/session/confirm/mail/use', { ...values, pending })}
      />
    );
  return (
    <>
      <Button
        kind={props.isFirst ? 'primary' : 'plain'}
        size="large"
        isBusy={isPending}
        onClick={() => mutate()}
      >
        <Mail {...ICON} />
        <span className="truncate">{m.proof.mail(email)}</span>
      </Button>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
    </>
  );
}

/** Leads to the provider, which sends the person back to this page. */
function ProviderProof() {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      sendOnce<{ readonly address: string }>('POST', '/session/confirm/provider', {
        next: location.pathname.slice(ROOT.length) + location.search,
      }),
    onSuccess: ({ address }) => location.assign(address),
  });
  return (
    <div className="grid gap-2">
      <Button size="large" isBusy={isPending} onClick={() => mutate()}>
        <Shield {...ICON} />
        {m.proof.provider(entrance.sign_in.provider?.name ?? '')}
      </Button>
      <p className="text-12 text-ink-3">{m.proof.providerLead}</p>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
    </div>
  );
}
