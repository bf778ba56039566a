import { useNavigate } from '@tanstack/react-router';
import { act } from '../../app/act.ts';
import type { OwnProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Field } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { tell } from '../../ui/toasts.tsx';

const t = m.projects;

export function NewProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <FormDialog
      title={t.create}
      action={t.make}
      send={({ name = '' }) => act.createProject({ name })}
      done={({ uuid }) => void navigate({ to: '/projects/$project/checks/', params: { project: uuid } })}
      staysOpen
      onClose={onClose}
      noValidate
    >
      <Field label={t.name} name="name" hint={t.nameHint} />
    </FormDialog>
  );
}

export function LeaveDialog({
  project,
  onClose,
}: {
  readonly project: OwnProject;
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title={t.leaveTitle(project.name)}
      action={t.leaveAction}
      run={() => act.leaveProject({ project: project.uuid })}
      done={() => tell(t.left(project.name))}
      onClose={onClose}
    >
      {t.leaveLead}
    </ConfirmDialog>
  );
}
