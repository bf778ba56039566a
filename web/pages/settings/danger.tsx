import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { open } from '../../app/next.ts';
import { type Answer, query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { tell } from '../../ui/toasts.tsx';
import { SettingsPage } from './settings-page.tsx';

const t = m.settings.danger;

/** Acts that others would miss. Each tells the loss, and for how long it can be undone. */
export function Danger() {
  const project = useProject();
  return (
    <SettingsPage title={t.title}>
      <section aria-label={t.title} className="rounded-card border border-down-g/40 px-4">
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

interface OfProject {
  readonly project: Answer<'project'>;
}

function HandOver({ project }: OfProject) {
  const [isAsked, setIsAsked] = useState(false);
  const withdraw = useAct(act.withdrawOffer);
  return (
    <SettingRow
      title={t.handOver}
      lead={project.offer === null ? t.handOverLead : t.offered(project.offer.to)}
    >
      {project.offer === null ? (
        <Button onClick={() => setIsAsked(true)}>{t.handOverAction}</Button>
      ) : (
        <Button isBusy={withdraw.isBusy} onClick={() => withdraw.run({ project: project.uuid })}>
          {t.withdraw}
        </Button>
      )}
      {isAsked && <HandOverDialog project={project.uuid} onClose={() => setIsAsked(false)} />}
    </SettingRow>
  );
}

function HandOverDialog({ project, onClose }: { readonly project: string; readonly onClose: () => void }) {
  const { data: members } = useSuspenseQuery(query.projectMembers({ project }));
  const others = members.filter(({ role }) => role !== 'owner');
  if (others.length === 0)
    return (
      <Dialog title={t.handOver} onClose={onClose}>
        <p className="text-ink-2">{t.nobody}</p>
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
        </DialogActions>
      </Dialog>
    );
  return (
    <FormDialog
      title={t.handOver}
      action={t.offer}
      send={({ member = '' }) => act.offerProject({ project, member })}
      onClose={onClose}
    >
      <Select label={t.newOwner} name="member" options={others.map(({ uuid, email }) => [uuid, email])} />
    </FormDialog>
  );
}

function Delete({ project }: OfProject) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <SettingRow title={t.delete} lead={t.deleteLead}>
      <Button kind="danger" onClick={() => setIsAsked(true)}>
        {t.deleteAction}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={t.deleteTitle(project.name)}
          typedName={project.name}
          action={t.delete}
          run={() => act.deleteProject({ project: project.uuid, name: project.name })}
          // The list of projects offers to restore it.
          done={() => open('/')}
          staysOpen
          onClose={() => setIsAsked(false)}
        >
          {t.deleteWarning}
        </ConfirmDialog>
      )}
    </SettingRow>
  );
}

function Leave({ project }: OfProject) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <SettingRow title={t.leave} lead={t.leaveLead}>
      <Button kind="danger" onClick={() => setIsAsked(true)}>
        {t.leaveAction}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={t.leaveTitle(project.name)}
          action={t.leave}
          refuse={t.stay}
          run={() => act.leaveProject({ project: project.uuid })}
          done={() => {
            tell(t.left(project.name));
            open('/');
          }}
          staysOpen
          onClose={() => setIsAsked(false)}
        >
          {t.leaveLead}
        </ConfirmDialog>
      )}
    </SettingRow>
  );
}
