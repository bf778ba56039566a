import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArchiveRestore, Crown, Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DeletedProjectJson, ListedProjectJson } from '../../../src/wire/dashboard/project-output.ts';
import type { OwnInvitationJson } from '../../../src/wire/dashboard/team-output.ts';
import { post } from '../../app/api.ts';
import { projectsQuery } from '../../app/queries.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Until } from '../../ui/time.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';
import { invitationsQuery } from './heads.ts';

const t = m.projects;

const ICON = { className: 'size-8 text-ink-2', strokeWidth: 1.5, 'aria-hidden': true } as const;

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
    <li className="flex items-center gap-6 rounded-card border border-dashed border-control px-8 py-6 max-md:flex-wrap">
      <span className="grid size-14 flex-none place-items-center rounded-control bg-quiet-t">{icon}</span>
      <div className="min-w-0 flex-1 max-md:basis-3/4">
        <p className="font-medium">{title}</p>
        <p className="text-12 text-ink-3">{lead}</p>
      </div>
      <div className="flex gap-4 max-md:w-full max-md:[&>*]:flex-1">{children}</div>
    </li>
  );
}

/** Sends an answer, says what came of it, and reads the projects again. */
function useAnswer(path: string, done: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => post(path),
    onSuccess: () => {
      tell(done);
      void queries.invalidateQueries(invitationsQuery);
      return queries.invalidateQueries(projectsQuery);
    },
    onError: (error) => {
      tellError(error.message);
      return queries.invalidateQueries(invitationsQuery);
    },
  });
}

/** Invitations, and projects that owners want to hand over. */
export function Offers({
  projects,
  freeChecks,
}: {
  readonly projects: readonly ListedProjectJson[];
  readonly freeChecks: number;
}) {
  const { data } = useQuery(invitationsQuery);
  const offered = projects.filter(({ offer }) => offer?.is_yours === true);
  const invitations = data?.invitations ?? [];
  if (offered.length + invitations.length === 0) return null;
  return (
    <ul className="grid gap-5 p-10 max-md:p-8">
      {offered.map((project) => (
        <Takeover key={project.uuid} project={project} freeChecks={freeChecks} />
      ))}
      {invitations.map((invitation) => (
        <Invitation key={invitation.uuid} invitation={invitation} />
      ))}
    </ul>
  );
}

function Invitation({ invitation }: { readonly invitation: OwnInvitationJson }) {
  const { uuid, project, role, invited_by: by, expires } = invitation;
  const accept = useAnswer(`/invitations/${uuid}/accept`, t.joined(project));
  const decline = useAnswer(`/invitations/${uuid}/decline`, t.declined);
  return (
    <Waiting
      icon={<Mail {...ICON} />}
      title={t.invites(by, project)}
      lead={
        <>
          {t.inviteAs(m.roles[role])} <Until at={expires} />.
        </>
      }
    >
      <Button kind="ghost" size="small" isBusy={decline.isPending} onClick={() => decline.mutate()}>
        {t.decline}
      </Button>
      <Button size="small" isBusy={accept.isPending} onClick={() => accept.mutate()}>
        {t.join(project)}
      </Button>
    </Waiting>
  );
}

/** The checks of a project count for its owner. */
function Takeover({
  project,
  freeChecks,
}: {
  readonly project: ListedProjectJson;
  readonly freeChecks: number;
}) {
  const { uuid, name, owner, checks } = project;
  const accept = useAnswer(`/projects/${uuid}/offer/accept`, t.accepted(name));
  const decline = useAnswer(`/projects/${uuid}/offer/decline`, t.declined);
  const fits = checks.total <= freeChecks;
  return (
    <Waiting
      icon={<Crown {...ICON} />}
      title={t.offered(owner, name)}
      lead={fits ? t.offerFits(checks.total, freeChecks) : t.offerTooLarge(checks.total, freeChecks)}
    >
      <Button kind="ghost" size="small" isBusy={decline.isPending} onClick={() => decline.mutate()}>
        {t.decline}
      </Button>
      <Button size="small" disabled={!fits} isBusy={accept.isPending} onClick={() => accept.mutate()}>
        {t.accept}
      </Button>
    </Waiting>
  );
}

/** Own projects that can be restored. */
export function DeletedProjects({ deleted }: { readonly deleted: readonly DeletedProjectJson[] }) {
  if (deleted.length === 0) return null;
  return (
    <section aria-labelledby="deleted-projects" className="grid gap-5 p-10 max-md:p-8">
      <div>
        <h2 id="deleted-projects" className="text-14">
          {t.deleted}
        </h2>
        <p className="text-12 text-ink-3">{t.deletedLead}</p>
      </div>
      <ul className="grid gap-5">
        {deleted.map((project) => (
          <Deleted key={project.uuid} project={project} />
        ))}
      </ul>
    </section>
  );
}

function Deleted({ project }: { readonly project: DeletedProjectJson }) {
  const { uuid, name, deletes_at: at } = project;
  const restore = useAnswer(`/projects/${uuid}/restore`, t.restored(name));
  return (
    <Waiting
      icon={<ArchiveRestore {...ICON} />}
      title={name}
      lead={
        <>
          {t.goneAt} <Until at={at} />.
        </>
      }
    >
      <Button
        size="small"
        aria-label={`${t.restore} ${name}`}
        isBusy={restore.isPending}
        onClick={() => restore.mutate()}
      >
        {t.restore}
      </Button>
    </Waiting>
  );
}
