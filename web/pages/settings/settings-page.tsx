import type { ReactNode } from 'react';
import { mayManage, mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { SubNav } from '../../ui/sub-nav.tsx';

const t = m.settings;

/** The frame of all settings of a project. Sections that the person may not see have no entry. */
export function SettingsPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const project = useProject();
  const params = { project: project.uuid };
  const sections = [
    [t.general.title, '/projects/$project/settings/', true],
    [m.alerts.title, '/projects/$project/settings/alerts/', true],
    [t.keys.title, '/projects/$project/settings/keys/', mayWrite(project)],
    [t.team.title, '/projects/$project/settings/team/', true],
    [t.audit.title, '/projects/$project/settings/audit-log/', mayManage(project)],
    [t.deletedChecks.title, '/projects/$project/settings/deleted-checks/', mayWrite(project)],
    [t.danger.title, '/projects/$project/settings/danger/', project.role !== 'administrator'],
  ] as const;
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
        <SubNav
          label={m.shell.settings}
          sections={sections.flatMap(([label, to, isShown]) => (isShown ? { label, to, params } : []))}
        >
          {children}
        </SubNav>
      </PageBody>
    </Page>
  );
}
