import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { actOnce } from '../../app/act.ts';
import { open } from '../../app/next.ts';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { ErrorText } from '../../ui/error-text.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { BackToSignIn } from './back-to-sign-in.tsx';
import { EntrancePage } from './entrance-page.tsx';
import { browserZone, EmailField, NameField, NewPasswordField } from './fields.tsx';
import { useLinkToken } from './link-pages.tsx';

/** The page of an invitation's link. Looking changes nothing. */
export function Invitation() {
  const token = useLinkToken();
  const look = useQuery({ ...query.invitationOffer({ token }), enabled: token !== '' });
  if (look.data !== undefined) return <Offer offer={look.data} token={token} />;
  if (token !== '' && look.isPending) return null;
  return (
    <EntrancePage title={m.invitation.title}>
      <ErrorText>{look.error?.message ?? m.noLink}</ErrorText>
      <BackToSignIn />
    </EntrancePage>
  );
}

function Offer({ offer, token }: { readonly offer: Answer<'invitationOffer'>; readonly token: string }) {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const [state, setState] = useState<'open' | 'declined' | 'mailed'>('open');
  const role = m.roles[offer.role];
  const { isLocal, isByProxy } = entrance.signIn;
  // Asking for the session tells whom a proxy names.
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
    <EntrancePage title={m.invitation.title} lead={m.invitation.lead(offer.project, role, offer.invitedBy)}>
      {isIn && <Accept offer={offer} token={token} />}
      {!isIn && isLocal && offer.hasAccount !== true && (
        <Newcomer offer={offer} token={token} onMailed={() => setState('mailed')} />
      )}
      {!isIn && (!isLocal || offer.hasAccount !== false) && (
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
        send={() => actOnce.declineInvitation({ token })}
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

/** For a signed-in person. */
function Accept({ offer, token }: { readonly offer: Answer<'invitationOffer'>; readonly token: string }) {
  const { data: session } = useSuspenseQuery(query.signedIn());
  const { email } = session.account;
  if (offer.forEmail !== null && offer.forEmail !== email)
    return <p className="text-14 text-ink-2">{m.invitation.otherAddress(offer.forEmail)}</p>;
  return (
    <Form className="contents" send={() => actOnce.acceptInvitation({ token })} done={() => open('/')}>
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
  readonly offer: Answer<'invitationOffer'>;
  readonly token: string;
  readonly onMailed: () => void;
}) {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const isProven = offer.provenEmail !== null;
  const takesPassword = isProven || !entrance.hasMail;
  const join = ({ name = '', email, password = '' }: Readonly<Record<string, string>>) =>
    actOnce.joinWithNewAccount({
      token,
      name,
      tz: browserZone(),
      ...(email !== undefined && { email }),
      ...(password !== '' && { password }),
    });
  return (
    <Form
      className="grid gap-4"
      send={join}
      // The session is in a cookie, or a mail is on its way.
      done={({ isMailed }) => (isMailed ? onMailed() : open('/'))}
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
