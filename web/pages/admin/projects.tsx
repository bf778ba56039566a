import { useMutation } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { ProjectEntryJson } from '../../../src/wire/dashboard/admin-output.ts';
import { post } from '../../app/api.ts';
import { open } from '../../app/next.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';
import { AdminPage } from './admin-page.tsx';
import { useDirectory } from './use-directory.ts';

const t = m.admin.projects;

interface ProjectPage {
  readonly projects: readonly ProjectEntryJson[];
  readonly cursor: number | null;
}

/** All projects of the instance. Administrators enter those of others openly: it is in the project's log. */
export function AllProjects() {
  const [search, setSearch] = useState('');
  const [entered, setEntered] = useState<ProjectEntryJson | null>(null);
  const found = useDirectory<ProjectPage>('projects', useDeferredValue(search.trim()));
  const projects = found.data?.pages.flatMap((page) => page.projects) ?? [];
  const leave = useMutation({
    mutationFn: ({ uuid }: ProjectEntryJson) => post(`/admin/projects/${uuid}/leave`),
    onSuccess: (_, { name }) => tell(t.left(name)),
    onError: (error) => tellError(error.message),
  });
  return (
    <AdminPage title={t.title}>
      <PageHead title={t.title} lead={t.lead} />
      <Field label={t.search} value={search} onChange={(event) => setSearch(event.target.value)} />
      {found.error !== null && <ErrorText>{found.error.message}</ErrorText>}
      <Table
        label={t.title}
        columns={[
          { name: t.project },
          { name: t.has },
          { name: t.created },
          { name: m.settings.actions, isHidden: true },
        ]}
      >
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
              <Button kind="ghost" size="small" onClick={() => leave.mutate(project)}>
                {t.leave}
              </Button>
            </Cell>
          </TableRow>
        ))}
      </Table>
      {found.hasNextPage && (
        <div>
          <Button size="small" isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {m.admin.more}
          </Button>
        </div>
      )}
      {entered !== null && <EnterDialog project={entered} onClose={() => setEntered(null)} />}
    </AdminPage>
  );
}

function EnterDialog({
  project,
  onClose,
}: {
  readonly project: ProjectEntryJson;
  readonly onClose: () => void;
}) {
  const form = useForm(
    (values) => post(`/admin/projects/${project.uuid}/enter`, values),
    () => open(`/projects/${project.uuid}/checks/`),
  );
  const error = form.otherError('reason');
  return (
    <Dialog title={t.enterTitle(project.name)} onClose={onClose}>
      <form className="grid gap-7" onSubmit={form.onSubmit}>
        <p className="text-ink-2">{t.enterLead}</p>
        <Field label={t.reason} name="reason" maxLength={200} error={form.errorOf('reason')} />
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            {t.enter}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
