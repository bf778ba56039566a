import { useSuspenseQuery } from '@tanstack/react-query';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Section } from '../../ui/section.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';

const t = m.settings.invitations;

/** Invitations that nobody has accepted yet. */
export function Invitations({ project }: { readonly project: string }) {
  const { data: invitations } = useSuspenseQuery(query.projectInvitations({ project }));
  const links = useShownOnce();
  if (invitations.length === 0) return null;
  return (
    <Section title={t.title} lead={t.lead}>
      {links.shown}
      <Table label={t.title} columns={[t.for, t.role]} hasActions>
        {invitations.map((invitation) => (
          <InvitationRow
            key={invitation.uuid}
            project={project}
            invitation={invitation}
            onLink={(link) => links.show(t.link, link)}
          />
        ))}
      </Table>
    </Section>
  );
}

function InvitationRow({
  project,
  invitation: { uuid, email, role, invitedBy, expires },
  onLink,
}: {
  readonly project: string;
  readonly invitation: Answer<'projectInvitations'>[number];
  readonly onLink: (link: string) => void;
}) {
  const renew = useAct(act.renewInvitation, ({ link }) => {
    if (link === null) tell(t.sentAgain);
    else onLink(link);
  });
  const revoke = useAct(act.revokeInvitation);
  return (
    <TableRow>
      <Cell isWide>
        <span className="block truncate font-medium">{email ?? t.anybody}</span>
        <span className="text-12 text-ink-3">
          {invitedBy !== null && `${t.by(invitedBy)} · `}
          {t.until} <ClockTime at={expires} />
        </span>
      </Cell>
      <Cell>
        <Chip>{m.roles[role]}</Chip>
      </Cell>
      <Cell isEnd>
        <Button
          kind="ghost"
          size="small"
          isBusy={renew.isBusy}
          onClick={() => renew.run({ project, invitation: uuid })}
        >
          {email === null ? t.newLink : t.again}
        </Button>
        <Button
          kind="ghostDanger"
          size="small"
          isBusy={revoke.isBusy}
          onClick={() => revoke.run({ project, invitation: uuid })}
        >
          {t.revoke}
        </Button>
      </Cell>
    </TableRow>
  );
}
