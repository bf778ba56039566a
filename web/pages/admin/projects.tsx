import { useDeferredValue, useState } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { open } from '../../app/next.ts';
import { type Answer, read } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';
import { AdminPage } from './admin-page.tsx';
import { useDirectory } from './use-directory.ts';

const t = m.admin.projects;

type Project = Answer<'projectDirectory'>['projects'][number];

/** All projects of the instance. Administrators enter projects of others openly: it is in the project's log. */
export function AllProjects() {
  const [search, setSearch] = useState('');
  const [entered, setEntered] = useState<Project | null>(null);
  const found = useDirectory('projects', useDeferredValue(search.trim()), read.projectDirectory);
  const projects = found.data?.pages.flatMap((page) => page.projects) ?? [];
  const leave = useAct(
    ({ uuid }: Project) => act.leaveVisitedProject({ target: uuid }),
    (_answer, { name }) => tell(t.left(name)),
  );
  return (
    <AdminPage title={t.title}>
      <PageHead title={t.title} lead={t.lead} />
      <Field label={t.search} value={search} onChange={(event) => setSearch(event.target.value)} />
      <Refusal error={found.error} />
      <Table label={t.title} columns={[t.project, t.has, t.created]} hasActions>
        {projects.map((project) => (
          <TableRow key={project.uuid}>
            <Cell isWide>
              <span className="block truncate font-medium">{project.name}</span>
              <span className="text-12 text-ink-3">{project.owner}</span>
            </Cell>
            <Cell>
              {t.checks(project.checks)}
              <span className="block text-12 text-ink-3">{t.others(project.channels, project.members)}</span>
            </Cell>
            <Cell>
              <ClockTime at={project.created} />
            </Cell>
            <Cell isEnd>
              <Button kind="ghost" size="small" onClick={() => setEntered(project)}>
                {t.enter}
              </Button>
              <Button kind="ghost" size="small" onClick={() => leave.run(project)}>
                {t.leave}
              </Button>
            </Cell>
          </TableRow>
        ))}
      </Table>
      <MoreButton list={found}>{m.admin.more}</MoreButton>
      {entered !== null && <EnterDialog project={entered} onClose={() => setEntered(null)} />}
    </AdminPage>
  );
}

function EnterDialog({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const { uuid, name } = project;
  return (
    <FormDialog
      title={t.enterTitle(name)}
      action={t.enter}
      className="grid gap-3.5"
      send={({ reason = '' }) => act.visitProject({ target: uuid, reason })}
      done={() => open(`/projects/${uuid}/checks/`)}
      staysOpen
      onClose={onClose}
    >
      <p className="text-ink-2">{t.enterLead}</p>
      <Field label={t.reason} name="reason" maxLength={TEXT_LIMITS.visitReason} />
    </FormDialog>
  );
}
