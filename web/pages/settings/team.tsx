import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { AccessLeftJson, MadeAccessJson, MemberJson } from '../../../src/wire/dashboard/team-output.ts';
import { get, post } from '../../app/api.ts';
import { sessionQuery } from '../../app/queries.ts';
import { mayManage, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Section } from '../../ui/section.tsx';
import { Select } from '../../ui/select.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { tellError } from '../../ui/toasts.tsx';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { hasMade, LeftAccessDialog, RemoveDialog } from './member-dialogs.tsx';
import { SettingsPage } from './settings-page.tsx';

const t = m.settings.team;

export const membersQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'members'],
    queryFn: () => get<{ readonly members: readonly MemberJson[] }>(`/projects/${project}/members`),
  });

const GIVEN_ROLES = ['read_only', 'member', 'manager'] as const;

/** Who is in the project, and who is invited. */
export function Team() {
  const project = useProject();
  const { data } = useSuspenseQuery(membersQuery(project.uuid));
  const [isInviting, setIsInviting] = useState(false);
  const isManager = mayManage(project);
  return (
    <SettingsPage title={t.title}>
      <Section
        title={t.title}
        lead={t.count(data.members.length)}
        action={
          isManager && (
            <Button size="small" onClick={() => setIsInviting(true)}>
              <UserPlus className="size-8 text-ink-3" strokeWidth={1.5} aria-hidden="true" />
              {t.invite}
            </Button>
          )
        }
      >
        <Table
          label={t.title}
          columns={[{ name: t.person }, { name: t.role }, { name: m.settings.actions, isHidden: true }]}
        >
          {data.members.map((member) => (
            <MemberRow key={member.uuid} project={project.uuid} member={member} isManager={isManager} />
          ))}
        </Table>
      </Section>
      {isManager && <Invitations project={project.uuid} />}
      {isInviting && <InviteDialog project={project.uuid} onClose={() => setIsInviting(false)} />}
    </SettingsPage>
  );
}

function MemberRow({
  project,
  member,
  isManager,
}: {
  readonly project: string;
  readonly member: MemberJson;
  readonly isManager: boolean;
}) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const isYou = member.uuid === session.account.uuid;
  // Owners hand the project over, and people leave by themselves.
  const canChange = isManager && member.role !== 'owner' && !isYou;
  return (
    <TableRow>
      <Cell isWide>
        <div className="flex items-center gap-5">
          <Avatar email={member.email} />
          <div className="min-w-0">
            <span className="block truncate font-medium">{member.email}</span>
            <span className="block text-12 text-ink-3">
              <MemberFacts member={member} isYou={isYou} />
            </span>
          </div>
        </div>
      </Cell>
      <Cell>
        {canChange ? <RoleSelect project={project} member={member} /> : <Chip>{m.roles[member.role]}</Chip>}
      </Cell>
      <Cell isEnd>{canChange && <RemoveMember project={project} member={member} />}</Cell>
    </TableRow>
  );
}

function MemberFacts({ member, isYou }: { readonly member: MemberJson; readonly isYou: boolean }) {
  const { name, has_second_factor: hasSecond, last_seen: lastSeen } = member;
  const words = [
    ...(isYou ? [t.you] : []),
    ...(name === '' ? [] : [name]),
    ...(hasSecond === undefined ? [] : [hasSecond ? t.secondFactor : t.noSecondFactor]),
  ];
  return (
    <>
      {words.join(' · ')}
      {lastSeen !== undefined && (
        <>
          {words.length > 0 && ' · '}
          {lastSeen === null ? (
            t.notSeen
          ) : (
            <>
              {t.seen} <Ago at={lastSeen} />
            </>
          )}
        </>
      )}
    </>
  );
}

function useTeamChange(project: string) {
  const queries = useQueryClient();
  return {
    onSuccess: () => queries.invalidateQueries({ queryKey: membersQuery(project).queryKey }),
    onError: (error: Error) => tellError(error.message),
  };
}

function RoleSelect({ project, member }: { readonly project: string; readonly member: MemberJson }) {
  const [left, setLeft] = useState<MadeAccessJson | null>(null);
  const { onSuccess, onError } = useTeamChange(project);
  const change = useMutation({
    mutationFn: (role: string) =>
      post<AccessLeftJson>(`/projects/${project}/members/${member.uuid}`, { role }),
    onSuccess: ({ made }, role) => {
      // Who only reads makes no keys any more, and those from before go on.
      if (role === 'read_only' && hasMade(made)) setLeft(made);
      return onSuccess();
    },
    onError,
  });
  return (
    <>
      <Select
        label={t.roleOf(member.email)}
        isLabelHidden
        value={change.isPending ? change.variables : member.role}
        onChange={(event) => change.mutate(event.target.value)}
      >
        {GIVEN_ROLES.map((role) => (
          <option key={role} value={role}>
            {m.roles[role]}
          </option>
        ))}
      </Select>
      {left !== null && (
        <LeftAccessDialog
          project={project}
          member={member}
          made={left}
          onDone={() => setLeft(null)}
          onClose={() => setLeft(null)}
        />
      )}
    </>
  );
}

function RemoveMember({ project, member }: { readonly project: string; readonly member: MemberJson }) {
  const [isAsked, setIsAsked] = useState(false);
  const { onSuccess } = useTeamChange(project);
  return (
    <>
      <Button kind="ghost" size="small" className="text-down!" onClick={() => setIsAsked(true)}>
        {t.remove}
      </Button>
      {isAsked && (
        <RemoveDialog
          project={project}
          member={member}
          onDone={onSuccess}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  );
}
