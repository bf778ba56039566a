import type { ReactNode } from 'react';
import type { Destination } from '../../app/destination.ts';
import { mayManage, mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { SubNav } from '../../ui/sub-nav.tsx';

const t = m.settings;

/** The frame of all settings of a project. Sections that the person may not see have no entry. */
export function SettingsPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const project = useProject();
  const params = { project: project.uuid };
  const sections: (Destination & { readonly label: string; readonly isShown: boolean })[] = [
    { label: t.general.title, to: '/projects/$project/settings/', params, isShown: true },
    { label: t.keys.title, to: '/projects/$project/settings/keys/', params, isShown: mayWrite(project) },
    { label: t.team.title, to: '/projects/$project/settings/team/', params, isShown: true },
    {
      label: t.audit.title,
      to: '/projects/$project/settings/audit-log/',
      params,
      isShown: mayManage(project),
    },
    {
      label: t.deletedChecks.title,
      to: '/projects/$project/settings/deleted-checks/',
      params,
      isShown: mayWrite(project),
    },
    {
      label: t.danger.title,
      to: '/projects/$project/settings/danger/',
      params,
      isShown: project.role !== 'administrator',
    },
  ];
  return (
    <Page
      title={`${title} – ${project.name}`}
      name={title}
      project={project}
      above={[{ label: m.shell.settings, to: '/projects/$project/settings/', params }]}
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
