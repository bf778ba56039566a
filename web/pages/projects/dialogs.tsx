import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ListedProjectJson, ProjectJson } from '../../../src/wire/dashboard/project-output.ts';
import { post } from '../../app/api.ts';
import { projectsQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Question } from '../../ui/question.tsx';
import { tell } from '../../ui/toasts.tsx';

const t = m.projects;

export function NewProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useForm(
    (values) => post<ProjectJson>('/projects', values),
    ({ uuid }) => {
      void queries
        .invalidateQueries(projectsQuery)
        .then(() => navigate({ to: '/projects/$project/checks/', params: { project: uuid } }));
    },
  );
  const error = form.otherError('name');
  return (
    <Dialog title={t.create} onClose={onClose}>
      <form className="grid gap-6" onSubmit={form.onSubmit} noValidate>
        <Field label={t.name} name="name" hint={t.nameHint} autoFocus error={form.errorOf('name')} />
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {t.make}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

export function LeaveDialog({
  project,
  onClose,
}: {
  readonly project: ListedProjectJson;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => post(`/projects/${project.uuid}/leave`),
    onSuccess: () => {
      tell(t.left(project.name));
      queries.removeQueries({ queryKey: ['project', project.uuid] });
      void queries.invalidateQueries(projectsQuery);
      onClose();
    },
  });
  return (
    <Question
      title={t.leaveTitle(project.name)}
      action={t.leaveAction}
      error={error?.message ?? null}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {t.leaveLead}
    </Question>
  );
}
