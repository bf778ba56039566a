import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { accountQuery, entranceQuery } from '../../app/queries.ts';
import { m } from '../../messages/index.ts';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { SubNav } from '../../ui/sub-nav.tsx';
import { factorsQuery, identitiesQuery } from './queries.ts';

const t = m.account;

const SECTIONS = [
  { label: t.sections.security, to: '/accounts/profile/' },
  { label: t.sections.sessions, to: '/accounts/profile/sessions/' },
  { label: t.sections.tokens, to: '/accounts/profile/tokens/' },
  { label: t.sections.look, to: '/accounts/profile/look/' },
  { label: t.sections.reports, to: '/accounts/profile/reports/' },
  { label: t.sections.log, to: '/accounts/profile/log/' },
  { label: t.sections.close, to: '/accounts/profile/close/' },
] as const;

/** The frame of all pages about the person. */
export function AccountPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Page title={title} crumbs={[{ label: t.title, to: '/accounts/profile/' }, { label: title }]}>
      <PageBody>
        <PageHead title={t.heading} lead={<Guard />} />
        <SubNav label={t.title} sections={SECTIONS}>
          {children}
        </SubNav>
      </PageBody>
    </Page>
  );
}

/** How well the account is guarded, in a sentence. */
function Guard() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const { data: factors } = useSuspenseQuery(factorsQuery);
  const { data: owned } = useSuspenseQuery(identitiesQuery);
  const { passkeys, security_keys: keys, authenticator, recovery_codes_left: left, count } = factors;
  const { provider } = entrance.sign_in;
  const first = () => {
    if (passkeys > 0) return passkeys === 1 ? t.guard.passkey : t.guard.passkeys(passkeys);
    if (provider !== null && owned.identities.length > 0) return t.guard.provider(provider.name);
    if (count > 0) return null;
    return account.has_password ? t.guard.password : t.guard.link;
  };
  const sentences = [
    first(),
    authenticator !== null && t.guard.app,
    authenticator === null && keys > 0 && t.guard.key,
    count > 0 && t.guard.codes(left),
  ];
  return sentences.filter(Boolean).join(' ');
}
