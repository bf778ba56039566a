import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { masked } from '../../ui/masked.ts';
import { tell } from '../../ui/toasts.tsx';

const t = m.settings.team;

export type Member = Answer<'projectMembers'>[number];
export type MadeAccess = NonNullable<Answer<'memberAccess'>>;

interface OfMember {
  readonly project: string;
  readonly member: Member;
  readonly onClose: () => void;
}

/** Whether the person has made anything that gives access. */
export const hasMade = (made: MadeAccess | null): made is MadeAccess =>
  made !== null && made.keys.length + made.walls.length > 0;

/** Asks before a member is removed, and what becomes of their keys and wall displays. */
export function RemoveDialog({ project, member, onClose }: OfMember) {
  const { data: made } = useQuery(query.memberAccess({ project, member: member.uuid }));
  const [revoke, setRevoke] = useState(false);
  return (
    <FormDialog
      title={t.removeTitle(member.email)}
      action={t.remove}
      refuse={m.controls.cancel}
      isDangerous
      // Nobody is removed before their access is known.
      isIncomplete={made === undefined}
      send={() => act.removeMember({ project, member: member.uuid, revoke })}
      done={() => tell(t.removed(member.email))}
      onClose={onClose}
    >
      <div className="grid gap-3 text-left whitespace-normal">
        <p className="text-ink-2">{t.removeLead}</p>
        {made !== undefined && hasMade(made) && (
          <>
            <MadeList lead={t.goesOn} made={made} />
            <Checkbox
              label={t.revokeToo}
              hint={t.revokeHint}
              checked={revoke}
              onChange={(event) => setRevoke(event.target.checked)}
            />
          </>
        )}
      </div>
    </FormDialog>
  );
}

/** Tells of the access of a member who only reads from now on, and offers to revoke it. */
export function LeftAccessDialog({
  project,
  member,
  made,
  onClose,
}: OfMember & { readonly made: MadeAccess }) {
  return (
    <FormDialog
      title={t.leftTitle(member.email)}
      action={t.revoke}
      isDangerous
      refuse={t.keep}
      send={() => act.changeRole({ project, member: member.uuid, role: 'read_only', revoke: true })}
      done={() => tell(t.revoked)}
      onClose={onClose}
    >
      <div className="grid gap-3 text-left whitespace-normal">
        <MadeList lead={t.goesOn} made={made} />
        <p className="text-12 text-ink-3">{t.revokeHint}</p>
      </div>
    </FormDialog>
  );
}

function MadeList({ lead, made }: { readonly lead: string; readonly made: MadeAccess }) {
  const rows = [
    ...made.keys.map(({ uuid, name, key }) => ({ uuid, kind: t.apiKey, name, secret: key })),
    ...made.walls.map(({ uuid, name, token }) => ({ uuid, kind: t.wall, name, secret: token })),
  ];
  return (
    <div className="grid gap-2">
      <p className="text-ink-2">{lead}</p>
      <ul className="grid gap-1">
        {rows.map(({ uuid, kind, name, secret }) => (
          <li key={uuid} className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <span className="text-ink-3">{kind}</span>
            <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
            <code className="text-12 text-ink-3">{masked(secret)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
