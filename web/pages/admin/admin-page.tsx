import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Page, PageBody } from '../../ui/page.tsx';
import { SubNav } from '../../ui/sub-nav.tsx';
import { NotFound } from '../not-found.tsx';

const t = m.admin;

const SECTIONS = [
  { label: t.health.title, to: '/admin/' },
  { label: t.settings.title, to: '/admin/settings/' },
  { label: t.accounts.title, to: '/admin/accounts/' },
  { label: t.projects.title, to: '/admin/projects/' },
] as const;

/** The frame of the pages for administrators. For everybody else there is nothing here. */
export function AdminPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { data: session } = useSuspenseQuery(query.signedIn());
  if (!session.account.isAdmin) return <NotFound />;
  return (
    <Page
      title={`${title} – ${m.shell.instance}`}
      name={title}
      above={[{ label: m.shell.instance, to: '/admin/' }]}
    >
      <PageBody>
        <SubNav label={m.shell.instance} sections={SECTIONS}>
          {children}
        </SubNav>
      </PageBody>
    </Page>
  );
}
