import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OfferJson } from '../../../src/wire/dashboard/invitation-output.ts';
import { post } from '../../app/api.ts';
import { open } from '../../app/next.ts';
import { entranceQuery, sessionQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { browserZone, NameField, NewPasswordField, useLinkToken } from './link-pages.tsx';

/** What the link of an invitation opens. Looking changes nothing. */
export function Invitation() {
  const token = useLinkToken();
  const look = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => post<OfferJson>('/invitations/look', { token }),
    enabled: token !== '',
  });
  if (look.data !== undefined) return <Offer offer={look.data} token={token} />;
  if (token !== '' && look.isPending) return null;
  return (
    <EntrancePage title={m.invitation.title}>
      <ErrorText>{look.error?.message ?? m.noLink}</ErrorText>
      <BackToSignIn />
    </EntrancePage>
  );
}

function Offer({ offer, token }: { readonly offer: OfferJson; readonly token: string }) {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const [state, setState] = useState<'open' | 'declined' | 'mailed'>('open');
  const decline = useForm(
    () => post('/invitations/decline', { token }),
    () => setState('declined'),
  );
  const role = m.roles[offer.role];
  const { is_local: isLocal, is_by_proxy: isByProxy } = entrance.sign_in;
  // Whom a proxy names is told by asking for the session.
  const isIn = entrance.is_signed_in || isByProxy;
  if (state !== 'open')
    return (
      <EntrancePage
        title={m.invitation.title}
        lead={state === 'declined' ? m.invitation.declined : m.invitation.mailed}
      >
        <BackToSignIn />
      </EntrancePage>
    );
  const error = decline.otherError();
  return (
    <EntrancePage title={m.invitation.title} lead={m.invitation.lead(offer.project, role, offer.invited_by)}>
      {isIn && <Accept offer={offer} token={token} />}
      {!isIn && isLocal && offer.has_account !== true && (
        <Newcomer offer={offer} token={token} onMailed={() => setState('mailed')} />
      )}
      {!isIn && (!isLocal || offer.has_account !== false) && (
        <p className="text-12">
          <Link
            to="/accounts/login/"
            search={{ next: '/accounts/invitation/' }}
            // Not in the part of the address that servers log.
            hash={token}
            className="font-medium text-link"
          >
            {m.invitation.signInFirst}
          </Link>
        </p>
      )}
      <Button size="large" isBusy={decline.isBusy} onClick={() => decline.send({})}>
        {m.invitation.decline}
      </Button>
      {error !== null && <ErrorText>{error}</ErrorText>}
    </EntrancePage>
  );
}

/** For somebody who is signed in. */
function Accept({ offer, token }: { readonly offer: OfferJson; readonly token: string }) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const accept = useForm(
    () => post('/invitations/accept', { token }),
    () => open('/'),
  );
  const { email } = session.account;
  if (offer.for_email !== null && offer.for_email !== email)
    return <p className="text-14 text-ink-2">{m.invitation.otherAddress(offer.for_email)}</p>;
  const error = accept.otherError();
  return (
    <>
      <Button kind="primary" size="large" isBusy={accept.isBusy} onClick={() => accept.send({})}>
        {m.invitation.acceptAs(email)}
      </Button>
      {error !== null && <ErrorText>{error}</ErrorText>}
    </>
  );
}

/** For somebody without an account. A link that proves no address asks for one. */
function Newcomer({
  offer,
  token,
  onMailed,
}: {
  readonly offer: OfferJson;
  readonly token: string;
  readonly onMailed: () => void;
}) {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const isProven = offer.proven_email !== null;
  const takesPassword = isProven || !entrance.has_mail;
  const form = useForm(
    ({ name = '', email, password = '' }) =>
      post<object | null>('/invitations/sign-up', {
        token,
        name,
        tz: browserZone(),
        ...(email !== undefined && { email }),
        ...(password !== '' && { password }),
      }),
    // The session is in a cookie, or a mail is on its way.
    (answer) => (answer === null ? open('/') : onMailed()),
  );
  const error = form.otherError('name', 'email', 'password');
  return (
    <form className="grid gap-8" onSubmit={form.onSubmit} noValidate>
      {!isProven && (
        <Field
          label={m.fields.email}
          name="email"
          type="email"
          placeholder={m.fields.emailPlaceholder}
          autoComplete="username"
          error={form.errorOf('email')}
        />
      )}
      {takesPassword && (
        <>
          <NameField error={form.errorOf('name')} />
          <NewPasswordField
            error={form.errorOf('password')}
            {...(isProven && { hint: m.signUp.passwordOptional })}
          />
        </>
      )}
      {error !== null && <ErrorText>{error}</ErrorText>}
      <Button type="submit" kind="primary" size="large" isBusy={form.isBusy}>
        {m.invitation.makeAccount}
      </Button>
    </form>
  );
}
