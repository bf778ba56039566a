import { useQuery } from '@tanstack/react-query';
import { ArchiveRestore, Crown, Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import type { OwnProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Until } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';

const t = m.projects;

/** Something that waits for an answer of the person. */
function Waiting({
  icon,
  title,
  lead,
  children,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly lead: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <li className="flex items-center gap-3 rounded-card border border-dashed border-control px-4 py-3 max-md:flex-wrap">
      <span className="grid size-7 flex-none place-items-center rounded-control bg-quiet-t">{icon}</span>
      <div className="min-w-0 flex-1 max-md:basis-3/4">
        <p className="font-medium">{title}</p>
        <p className="text-12 text-ink-3">{lead}</p>
      </div>
      <div className="flex gap-2 max-md:w-full max-md:[&>*]:flex-1">{children}</div>
    </li>
  );
}

/** Invitations, and projects that owners want to hand over. */
export function Offers({
  projects,
  freeChecks,
}: {
  readonly projects: readonly OwnProject[];
  readonly freeChecks: number;
}) {
  const { data: invitations = [] } = useQuery(query.ownInvitations());
  const offered = projects.filter(({ offer }) => offer?.isYours === true);
  if (offered.length + invitations.length === 0) return null;
  return (
    <ul className="grid gap-2.5 p-5 max-md:p-4">
      {offered.map((project) => (
        <Takeover key={project.uuid} project={project} freeChecks={freeChecks} />
      ))}
      {invitations.map((invitation) => (
        <Invitation key={invitation.uuid} invitation={invitation} />
      ))}
    </ul>
  );
}

function Invitation({ invitation }: { readonly invitation: Answer<'ownInvitations'>[number] }) {
  const { uuid, project, role, invitedBy, expires } = invitation;
  const accept = useAct(act.acceptOwnInvitation, () => tell(t.joined(project)));
  const decline = useAct(act.declineOwnInvitation, () => tell(t.declined));
  return (
    <Waiting
      icon={<Mail className="size-4 text-ink-2" />}
      title={t.invites(invitedBy, project)}
      lead={
        <>
          {t.inviteAs(m.roles[role])} <Until at={expires} />.
        </>
      }
    >
      <Button
        kind="ghost"
        size="small"
        isBusy={decline.isBusy}
        onClick={() => decline.run({ invitation: uuid })}
      >
        {t.decline}
      </Button>
      <Button size="small" isBusy={accept.isBusy} onClick={() => accept.run({ invitation: uuid })}>
        {t.join(project)}
      </Button>
    </Waiting>
  );
}

/** The checks of a project count for its owner. */
function Takeover({ project, freeChecks }: { readonly project: OwnProject; readonly freeChecks: number }) {
  const { uuid, name, owner, checks } = project;
  const accept = useAct(act.acceptProject, () => tell(t.accepted(name)));
  const decline = useAct(act.declineProject, () => tell(t.declined));
  const fits = checks.total <= freeChecks;
  return (
    <Waiting
      icon={<Crown className="size-4 text-ink-2" />}
      title={t.offered(owner, name)}
      lead={fits ? t.offerFits(checks.total, freeChecks) : t.offerTooLarge(checks.total, freeChecks)}
    >
      <Button kind="ghost" size="small" isBusy={decline.isBusy} onClick={() => decline.run({ target: uuid })}>
        {t.decline}
      </Button>
      <Button
        size="small"
        disabled={!fits}
        isBusy={accept.isBusy}
        onClick={() => accept.run({ target: uuid })}
      >
        {t.accept}
      </Button>
    </Waiting>
  );
}

/** Own projects that can be restored. */
export function DeletedProjects({ deleted }: { readonly deleted: Answer<'ownProjects'>['deleted'] }) {
  if (deleted.length === 0) return null;
  return (
    <section aria-labelledby="deleted-projects" className="grid gap-2.5 p-5 max-md:p-4">
      <div>
        <h2 id="deleted-projects" className="text-14">
          {t.deleted}
        </h2>
        <p className="text-12 text-ink-3">{t.deletedLead}</p>
      </div>
      <ul className="grid gap-2.5">
        {deleted.map((project) => (
          <Deleted key={project.uuid} project={project} />
        ))}
      </ul>
    </section>
  );
}

function Deleted({ project }: { readonly project: Answer<'ownProjects'>['deleted'][number] }) {
  const { uuid, name, deletesAt } = project;
  const restore = useAct(act.restoreProject, () => tell(t.restored(name)));
  return (
    <Waiting
      icon={<ArchiveRestore className="size-4 text-ink-2" />}
      title={name}
      lead={
        <>
          {t.goneAt} <Until at={deletesAt} />.
        </>
      }
    >
      <Button
        size="small"
        aria-label={`${t.restore} ${name}`}
        isBusy={restore.isBusy}
        onClick={() => restore.run({ target: uuid })}
      >
        {t.restore}
      </Button>
    </Waiting>
  );
}
