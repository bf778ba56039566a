import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccessLeftJson, MadeAccessJson, MemberJson } from '../../../src/wire/dashboard/team-output.ts';
import { get, post, remove } from '../../app/api.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { masked } from '../../ui/masked.ts';
import { tell } from '../../ui/toasts.tsx';

const t = m.settings.team;

interface OfMember {
  readonly project: string;
  readonly member: MemberJson;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Whether the person has made anything that gives access. */
export const hasMade = (made: MadeAccessJson | null): made is MadeAccessJson =>
  made !== null && made.keys.length + made.walls.length > 0;

/** Asks before a member is removed, and what becomes of their keys and wall displays. */
export function RemoveDialog({ project, member, onDone, onClose }: OfMember) {
  const path = `/projects/${project}/members/${member.uuid}`;
  const { data } = useQuery({
    queryKey: ['project', project, 'members', member.uuid, 'access'],
    queryFn: () => get<{ readonly made: MadeAccessJson | null }>(`${path}/access`),
  });
  const [revokes, setRevokes] = useState(false);
  const removal = useMutation({
    mutationFn: () => remove<AccessLeftJson>(`${path}?revoke=${revokes}`),
    onSuccess: () => {
      tell(t.removed(member.email));
      onDone();
    },
  });
  const made = data?.made ?? null;
  return (
    <Dialog title={t.removeTitle(member.email)} onClose={onClose}>
      <div className="grid gap-6 text-left whitespace-normal">
        <p className="text-ink-2">{t.removeLead}</p>
        {hasMade(made) && (
          <>
            <MadeList lead={t.goesOn} made={made} />
            <Checkbox
              label={t.revokeToo}
              hint={t.revokeHint}
              checked={revokes}
              onChange={(event) => setRevokes(event.target.checked)}
            />
          </>
        )}
        {removal.error !== null && <ErrorText>{removal.error.message}</ErrorText>}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{m.controls.cancel}</Button>
        {/* Nobody is removed before it is known what they have made. */}
        <Button
          kind="danger"
          isBusy={removal.isPending || data === undefined}
          onClick={() => removal.mutate()}
        >
          {t.remove}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Tells of what a member has made who only reads from now on, and offers to revoke it. */
export function LeftAccessDialog({
  project,
  member,
  made,
  onDone,
  onClose,
}: OfMember & { readonly made: MadeAccessJson }) {
  const revoke = useMutation({
    mutationFn: () =>
      post<AccessLeftJson>(`/projects/${project}/members/${member.uuid}`, {
        role: 'read_only',
        revoke: true,
      }),
    onSuccess: () => {
      tell(t.revoked);
      onDone();
    },
  });
  return (
    <Dialog title={t.leftTitle(member.email)} onClose={onClose}>
      <div className="grid gap-6 text-left whitespace-normal">
        <MadeList lead={t.goesOn} made={made} />
        <p className="text-12 text-ink-3">{t.revokeHint}</p>
        {revoke.error !== null && <ErrorText>{revoke.error.message}</ErrorText>}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{t.keep}</Button>
        <Button kind="danger" isBusy={revoke.isPending} onClick={() => revoke.mutate()}>
          {t.revoke}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function MadeList({ lead, made }: { readonly lead: string; readonly made: MadeAccessJson }) {
  const rows = [
    ...made.keys.map(({ uuid, name, key }) => ({ uuid, kind: t.apiKey, name, secret: key })),
    ...made.walls.map(({ uuid, name, token }) => ({ uuid, kind: t.wall, name, secret: token })),
  ];
  return (
    <div className="grid gap-4">
      <p className="text-ink-2">{lead}</p>
      <ul className="grid gap-2">
        {rows.map(({ uuid, kind, name, secret }) => (
          <li key={uuid} className="flex min-w-0 flex-wrap items-baseline gap-x-4">
            <span className="text-ink-3">{kind}</span>
            <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
            <code className="text-12 text-ink-3">{masked(secret)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
