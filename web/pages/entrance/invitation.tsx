import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OfferJson } from '../../../src/wire/dashboard/invitation-output.ts';
import { post } from '../../app/api.ts';
import { open } from '../../app/next.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { ErrorText } from '../../ui/error-text.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { browserZone, EmailField, NameField, NewPasswordField } from './fields.tsx';
import { useLinkToken } from './link-pages.tsx';

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
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const [state, setState] = useState<'open' | 'declined' | 'mailed'>('open');
  const role = m.roles[offer.role];
  const { isLocal, isByProxy } = entrance.signIn;
  // Whom a proxy names is told by asking for the session.
  const isIn = entrance.isSignedIn || isByProxy;
  if (state !== 'open')
    return (
      <EntrancePage
        title={m.invitation.title}
        lead={state === 'declined' ? m.invitation.declined : m.invitation.mailed}
      >
        <BackToSignIn />
      </EntrancePage>
    );
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
      <Form
        className="contents"
        send={() => post('/invitations/decline', { token })}
        done={() => setState('declined')}
      >
        <Submit kind="plain" size="large">
          {m.invitation.decline}
        </Submit>
        <FormError />
      </Form>
    </EntrancePage>
  );
}

/** For somebody who is signed in. */
function Accept({ offer, token }: { readonly offer: OfferJson; readonly token: string }) {
  const { data: session } = useSuspenseQuery(query.signedIn());
  const { email } = session.account;
  if (offer.for_email !== null && offer.for_email !== email)
    return <p className="text-14 text-ink-2">{m.invitation.otherAddress(offer.for_email)}</p>;
  return (
    <Form className="contents" send={() => post('/invitations/accept', { token })} done={() => open('/')}>
      <Submit size="large">{m.invitation.acceptAs(email)}</Submit>
      <FormError />
    </Form>
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
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const isProven = offer.proven_email !== null;
  const takesPassword = isProven || !entrance.hasMail;
  const join = ({ name = '', email, password = '' }: Readonly<Record<string, string>>) =>
    post<object | null>('/invitations/sign-up', {
      token,
      name,
      tz: browserZone(),
      ...(email !== undefined && { email }),
      ...(password !== '' && { password }),
    });
  return (
    <Form
      className="grid gap-8"
      send={join}
      // The session is in a cookie, or a mail is on its way.
      done={(answer) => (answer === null ? open('/') : onMailed())}
      noValidate
    >
      {!isProven && <EmailField />}
      {takesPassword && (
        <>
          <NameField />
          <NewPasswordField {...(isProven && { hint: m.signUp.passwordOptional })} />
        </>
      )}
      <FormError />
      <Submit size="large">{m.invitation.makeAccount}</Submit>
    </Form>
  );
}
