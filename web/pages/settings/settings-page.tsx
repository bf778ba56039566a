import type { ReactNode } from 'react';
import { mayManage, mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { SubNav } from '../../ui/sub-nav.tsx';

const t = m.settings;

/** The frame of all settings of a project. What the person may not see has no entry. */
export function SettingsPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const project = useProject();
  const base = `/projects/${project.uuid}/settings/`;
  const sections = [
    { label: t.general.title, to: base, isShown: true },
    { label: t.keys.title, to: `${base}keys/`, isShown: mayWrite(project) },
    { label: t.team.title, to: `${base}team/`, isShown: true },
    { label: t.audit.title, to: `${base}audit-log/`, isShown: mayManage(project) },
    { label: t.danger.title, to: `${base}danger/`, isShown: project.role !== 'administrator' },
  ];
  return (
    <Page
      title={`${title} – ${project.name}`}
      crumbs={[
        { label: project.name, to: `/projects/${project.uuid}/checks/` },
        { label: m.shell.settings, to: base },
        { label: title, to: null },
      ]}
      isBelow={false}
    >
      <PageBody>
        <PageHead title={t.of(project.name)} />
        <SubNav label={m.shell.settings} sections={sections.filter(({ isShown }) => isShown)}>
          {children}
        </SubNav>
      </PageBody>
    </Page>
  );
}
