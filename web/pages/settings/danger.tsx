import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProjectJson } from '../../../src/wire/dashboard/project-output.ts';
import { post, remove } from '../../app/api.ts';
import { open } from '../../app/next.ts';
import { projectQuery } from '../../app/queries.ts';
import { useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';
import { TypedNameDialog } from '../../ui/typed-name-dialog.tsx';
import { SettingsPage } from './settings-page.tsx';
import { membersQuery } from './team.tsx';

const t = m.settings.danger;

/** Acts that others would miss. Each says what is lost, and for how long it can be undone. */
export function Danger() {
  const project = useProject();
  return (
    <SettingsPage title={t.title}>
      <section aria-label={t.title} className="rounded-card border border-down-g/40 px-8">
        {project.role === 'owner' ? (
          <>
            <HandOver project={project} />
            <Delete project={project} />
          </>
        ) : (
          <Leave project={project} />
        )}
      </section>
    </SettingsPage>
  );
}

function HandOver({
  project,
}: {
  readonly project: ProjectJson & { readonly offer: { readonly to: string } | null };
}) {
  const queries = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const withdraw = useMutation({
    mutationFn: () => remove(`/projects/${project.uuid}/offer`),
    onSuccess: () => queries.invalidateQueries({ queryKey: projectQuery(project.uuid).queryKey }),
    onError: (error) => tellError(error.message),
  });
  return (
    <SettingRow
      title={t.handOver}
      lead={project.offer === null ? t.handOverLead : t.offered(project.offer.to)}
    >
      {project.offer === null ? (
        <Button onClick={() => setIsAsked(true)}>{t.handOverAction}</Button>
      ) : (
        <Button isBusy={withdraw.isPending} onClick={() => withdraw.mutate()}>
          {t.withdraw}
        </Button>
      )}
      {isAsked && <HandOverDialog project={project.uuid} onClose={() => setIsAsked(false)} />}
    </SettingRow>
  );
}

function HandOverDialog({ project, onClose }: { readonly project: string; readonly onClose: () => void }) {
  const { data } = useSuspenseQuery(membersQuery(project));
  const queries = useQueryClient();
  const others = data.members.filter(({ role }) => role !== 'owner');
  const [chosen, setChosen] = useState(others[0]?.uuid ?? '');
  const offer = useMutation({
    mutationFn: () => post(`/projects/${project}/offer`, { account: chosen }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: projectQuery(project).queryKey });
      onClose();
    },
    onError: (error) => tellError(error.message),
  });
  return (
    <Dialog title={t.handOver} onClose={onClose}>
      {others.length === 0 ? (
        <p className="text-ink-2">{t.nobody}</p>
      ) : (
        <Select label={t.newOwner} value={chosen} onChange={(event) => setChosen(event.target.value)}>
          {others.map(({ uuid, email }) => (
            <option key={uuid} value={uuid}>
              {email}
            </option>
          ))}
        </Select>
      )}
      <DialogActions>
        <Button onClick={onClose}>{m.controls.cancel}</Button>
        {others.length > 0 && (
          <Button kind="primary" isBusy={offer.isPending} onClick={() => offer.mutate()}>
            {t.offer}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function Delete({ project }: { readonly project: ProjectJson }) {
  const [isAsked, setIsAsked] = useState(false);
  const deletion = useMutation({
    mutationFn: () => post(`/projects/${project.uuid}/delete`, { name: project.name }),
    // The list of projects offers to restore it.
    onSuccess: () => open('/'),
  });
  return (
    <SettingRow title={t.delete} lead={t.deleteLead}>
      <Button kind="danger" onClick={() => setIsAsked(true)}>
        {t.deleteAction}
      </Button>
      {isAsked && (
        <TypedNameDialog
          title={t.deleteTitle(project.name)}
          name={project.name}
          action={t.delete}
          error={deletion.error?.message ?? null}
          isBusy={deletion.isPending}
          onConfirm={() => deletion.mutate()}
          onClose={() => setIsAsked(false)}
        >
          {t.deleteWarning}
        </TypedNameDialog>
      )}
    </SettingRow>
  );
}

function Leave({ project }: { readonly project: ProjectJson }) {
  const [isAsked, setIsAsked] = useState(false);
  const leaving = useMutation({
    mutationFn: () => post(`/projects/${project.uuid}/leave`),
    onSuccess: () => {
      tell(t.left(project.name));
      open('/');
    },
    onError: (error) => tellError(error.message),
  });
  return (
    <SettingRow title={t.leave} lead={t.leaveLead}>
      <Button kind="danger" onClick={() => setIsAsked(true)}>
        {t.leaveAction}
      </Button>
      {isAsked && (
        <Dialog title={t.leaveTitle(project.name)} onClose={() => setIsAsked(false)}>
          <p className="text-ink-2">{t.leaveLead}</p>
          <DialogActions>
            <Button onClick={() => setIsAsked(false)}>{t.stay}</Button>
            <Button kind="danger" isBusy={leaving.isPending} onClick={() => leaving.mutate()}>
              {t.leave}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </SettingRow>
  );
}
