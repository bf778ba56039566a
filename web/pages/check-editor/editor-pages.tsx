import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { use, useState } from 'react';
import { query } from '../../app/read.ts';
import { Shell } from '../../app/shell.tsx';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { WaitingPage } from '../../app/waiting.tsx';
import { m } from '../../messages/index.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { FileNote } from '../check/origins.tsx';
import type { ShownCheck } from '../check/queries.ts';
import { NoPermission } from '../no-permission.tsx';
import { CheckForm } from './check-form.tsx';
import { editedQuery, editorQuery } from './settings.ts';

/** The form of a new check. A tag of the list that was filtered by is chosen already. */
export function AddCheck() {
  const project = useProject();
  return mayWrite(project) ? <AddPage /> : <NoPermission project={project.uuid} />;
}

function AddPage() {
  const project = useProject();
  const { data: choices, isFetching } = useSuspenseQuery(editorQuery(project.uuid));
  const { tz } = use(PersonsTimes);
  const [isCurrent, setIsCurrent] = useState(!isFetching);
  const { tag } = useSearch({ from: '/signed-in/projects/$project/checks/new' });
  const tags = [tag ?? []].flat().map(String).join(' ');
  const initial = {
    ...choices.newSettings,
    tags,
    tz: choices.usedZones[0] ?? tz,
    channels: choices.channels.map(({ uuid }) => uuid).sort(),
  };
  const title = m.checkEditor.addTitle;
  if (!isCurrent) {
    // An older answer may lack an integration that was added since. The form would begin without it.
    if (!isFetching) setIsCurrent(true);
    return <WaitingPage />;
  }
  return (
    <Page
      title={title}
      project={project}
      above={[{ label: m.shell.checks, to: '/projects/$project/checks/', params: { project: project.uuid } }]}
      actions={
        <ButtonLink kind="ghost" to="/projects/$project/checks/import/" params={{ project: project.uuid }}>
          {m.shell.importCrontab}
        </ButtonLink>
      }
    >
      <CheckForm project={project} check={null} initial={initial} choices={choices} />
    </Page>
  );
}

/** The form of a check that exists. It finds the project of the check itself. */
export function EditCheck() {
  const { check } = useParams({ from: '/signed-in/checks/$check/edit' });
  const { data: shown } = useSuspenseQuery(query.checkPage({ check }));
  return (
    <Shell project={shown.project.id}>
      {shown.may.edit ? (
        <EditPage check={check} origins={shown.origins} />
      ) : (
        <NoPermission project={shown.project.id} />
      )}
    </Shell>
  );
}

function EditPage({ check, origins }: { readonly check: string } & Pick<ShownCheck, 'origins'>) {
  const { data: edited } = useSuspenseQuery(editedQuery(check));
  const { project, settings } = edited;
  const { data: choices } = useSuspenseQuery(editorQuery(project.uuid));
  const name = settings.name || m.checkEditor.unnamed;
  return (
    <Page
      title={m.checkEditor.editTitle(name)}
      name={m.checkActs.menu.edit}
      project={project}
      above={[
        { label: m.shell.checks, to: '/projects/$project/checks/', params: { project: project.uuid } },
        { label: name, to: '/checks/$check/details/', params: { check: edited.uuid } },
      ]}
    >
      <CheckForm
        key={edited.uuid}
        project={project}
        check={edited}
        initial={settings}
        choices={choices}
        notes={<FileNote origins={origins} />}
      />
    </Page>
  );
}
