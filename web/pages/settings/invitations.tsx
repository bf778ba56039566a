import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { InvitationJson, MadeInvitationJson } from '../../../src/wire/dashboard/team-output.ts';
import { get, post, remove } from '../../app/api.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Section } from '../../ui/section.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';

const t = m.settings.invitations;

export const invitationsQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'invitations'],
    queryFn: () =>
      get<{ readonly invitations: readonly InvitationJson[] }>(`/projects/${project}/invitations`),
  });

/** Invitations that nobody has accepted yet. */
export function Invitations({ project }: { readonly project: string }) {
  const query = invitationsQuery(project);
  const { data } = useSuspenseQuery(query);
  const queries = useQueryClient();
  const [link, setLink] = useState<string | null>(null);
  const refresh = () => queries.invalidateQueries({ queryKey: query.queryKey });
  const onError = (error: Error) => tellError(error.message);
  const renew = useMutation({
    mutationFn: ({ uuid }: InvitationJson) =>
      post<MadeInvitationJson>(`/projects/${project}/invitations/${uuid}/renew`),
    onSuccess: (made) => {
      setLink(made.link);
      if (made.link === null) tell(t.sentAgain);
      return refresh();
    },
    onError,
  });
  const revoke = useMutation({
    mutationFn: ({ uuid }: InvitationJson) => remove(`/projects/${project}/invitations/${uuid}`),
    onSuccess: refresh,
    onError,
  });
  if (data.invitations.length === 0) return null;
  return (
    <Section title={t.title} lead={t.lead}>
      {link !== null && <ShownOnce title={t.link} secret={link} onStored={() => setLink(null)} />}
      <Table
        label={t.title}
        columns={[{ name: t.for }, { name: t.role }, { name: m.settings.actions, isHidden: true }]}
      >
        {data.invitations.map((invitation) => (
          <TableRow key={invitation.uuid}>
            <Cell isWide>
              <span className="block truncate font-medium">{invitation.email ?? t.anybody}</span>
              <span className="text-12 text-ink-3">
                {invitation.invited_by !== null && `${t.by(invitation.invited_by)} · `}
                {t.until} <ClockTime at={invitation.expires} />
              </span>
            </Cell>
            <Cell>
              <Chip>{m.roles[invitation.role]}</Chip>
            </Cell>
            <Cell isEnd>
              <Button
                kind="ghost"
                size="small"
                isBusy={renew.isPending && renew.variables === invitation}
                onClick={() => renew.mutate(invitation)}
              >
                {invitation.email === null ? t.newLink : t.again}
              </Button>
              <Button
                kind="ghost"
                size="small"
                className="text-down!"
                isBusy={revoke.isPending && revoke.variables === invitation}
                onClick={() => revoke.mutate(invitation)}
              >
                {t.revoke}
              </Button>
            </Cell>
          </TableRow>
        ))}
      </Table>
    </Section>
  );
}
