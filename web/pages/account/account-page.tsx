import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { SubNav } from '../../ui/sub-nav.tsx';

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
    <Page title={title} above={[{ label: t.title, to: '/accounts/profile/' }]}>
      <PageBody>
        <PageHead title={t.heading} lead={<Guard />} />
        <SubNav label={t.title} sections={SECTIONS}>
          {children}
        </SubNav>
      </PageBody>
    </Page>
  );
}

/** The protection of the account, in a sentence. */
function Guard() {
  const { data: account } = useSuspenseQuery(query.account());
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const { data: factors } = useSuspenseQuery(query.secondFactors());
  const { data: owned } = useSuspenseQuery(query.identities());
  const { passkeys, securityKeys, authenticator, recoveryCodesLeft, count } = factors;
  const { provider } = entrance.signIn;
  const first = () => {
    if (passkeys > 0) return passkeys === 1 ? t.guard.passkey : t.guard.passkeys(passkeys);
    if (provider !== null && owned.identities.length > 0) return t.guard.provider(provider.name);
    if (count > 0) return null;
    return account.hasPassword ? t.guard.password : t.guard.link;
  };
  const sentences = [
    first(),
    authenticator !== null && t.guard.app,
    authenticator === null && securityKeys > 0 && t.guard.key,
    count > 0 && t.guard.codes(recoveryCodesLeft),
  ];
  return sentences.filter(Boolean).join(' ');
}
