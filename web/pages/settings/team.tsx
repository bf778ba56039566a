import { useSuspenseQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { mayManage, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Section } from '../../ui/section.tsx';
import { Select } from '../../ui/select.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { hasMade, LeftAccessDialog, type MadeAccess, type Member, RemoveDialog } from './member-dialogs.tsx';
import { SettingsPage } from './settings-page.tsx';

const t = m.settings.team;

const GIVEN_ROLES = ['read_only', 'member', 'manager'] as const;

/** The members of the project, and its invitations. */
export function Team() {
  const project = useProject();
  const { data: members } = useSuspenseQuery(query.projectMembers({ project: project.uuid }));
  const [isInviting, setIsInviting] = useState(false);
  const isManager = mayManage(project);
  return (
    <SettingsPage title={t.title}>
      <Section
        title={t.title}
        lead={t.count(members.length)}
        action={
          isManager && (
            <Button size="small" onClick={() => setIsInviting(true)}>
              <UserPlus className="size-4 text-ink-3" />
              {t.invite}
            </Button>
          )
        }
      >
        <Table label={t.title} columns={[t.person, t.role]} hasActions>
          {members.map((member) => (
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
  readonly member: Member;
  readonly isManager: boolean;
}) {
  const { data: session } = useSuspenseQuery(query.signedIn());
  const isYou = member.uuid === session.account.uuid;
  // Owners hand the project over, and people leave by themselves.
  const canChange = isManager && member.role !== 'owner' && !isYou;
  return (
    <TableRow>
      <Cell isWide>
        <div className="flex items-center gap-2.5">
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

function MemberFacts({ member, isYou }: { readonly member: Member; readonly isYou: boolean }) {
  const { name, managed } = member;
  const words = [
    ...(isYou ? [t.you] : []),
    ...(name === '' ? [] : [name]),
    ...(managed === null ? [] : [managed.hasSecondFactor ? t.secondFactor : t.noSecondFactor]),
  ];
  return (
    <>
      {words.join(' · ')}
      {managed !== null && (
        <>
          {words.length > 0 && ' · '}
          {managed.lastSeen === null ? (
            t.notSeen
          ) : (
            <>
              {t.seen} <Ago at={managed.lastSeen} />
            </>
          )}
        </>
      )}
    </>
  );
}

function RoleSelect({ project, member }: { readonly project: string; readonly member: Member }) {
  const [left, setLeft] = useState<MadeAccess | null>(null);
  const [chosen, setChosen] = useState(member.role);
  const change = useAct(
    (role: (typeof GIVEN_ROLES)[number]) => act.changeRole({ project, member: member.uuid, role }),
    ({ access }, role) => {
      // A reader makes no keys any more, and older keys continue to work.
      if (role === 'read_only' && hasMade(access)) setLeft(access);
    },
  );
  return (
    <>
      <Select
        label={t.roleOf(member.email)}
        isLabelHidden
        options={GIVEN_ROLES.map((role) => [role, m.roles[role]])}
        value={change.isBusy ? chosen : member.role}
        onChange={({ target }) => {
          const role = GIVEN_ROLES.find((one) => one === target.value) ?? 'read_only';
          setChosen(role);
          change.run(role);
        }}
      />
      {left !== null && (
        <LeftAccessDialog project={project} member={member} made={left} onClose={() => setLeft(null)} />
      )}
    </>
  );
}

function RemoveMember({ project, member }: { readonly project: string; readonly member: Member }) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <Button kind="ghostDanger" size="small" onClick={() => setIsAsked(true)}>
        {t.remove}
      </Button>
      {isAsked && <RemoveDialog project={project} member={member} onClose={() => setIsAsked(false)} />}
    </>
  );
}
