import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { tell } from '../../ui/toasts.tsx';

const t = m.settings.invitations;

const ROLES = ['member', 'manager', 'read_only'] as const;

/** Invites somebody by mail, or makes a link to pass on. */
export function InviteDialog({
  project,
  onClose,
}: {
  readonly project: string;
  readonly onClose: () => void;
}) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<(typeof ROLES)[number]>('member');
  const [link, setLink] = useState<string | null>(null);
  if (link !== null)
    return (
      <Dialog title={t.made} mustStay onClose={onClose}>
        <ShownOnce title={t.link} secret={link} onStored={onClose} />
      </Dialog>
    );
  return (
    <FormDialog
      title={t.invite}
      action={email === '' ? t.makeLink : t.send}
      send={() => act.invite({ project, role, ...(email !== '' && { email }) })}
      done={(made) => {
        if (made.link !== null) return setLink(made.link);
        tell(t.mailed(made.email ?? ''));
        onClose();
      }}
      staysOpen
      onClose={onClose}
      className="grid gap-3.5"
    >
      <Field
        label={m.fields.email}
        hint={t.emailHint}
        type="email"
        name="email"
        value={email}
        maxLength={TEXT_LIMITS.emailAddress}
        autoComplete="off"
        onChange={(event) => setEmail(event.target.value)}
      />
      <Suggestions project={project} onChoose={setEmail} />
      <Select
        label={t.role}
        value={role}
        hint={t.roleHint}
        options={ROLES.map((one) => [one, m.roles[one]])}
        onChange={({ target }) => setRole(ROLES.find((one) => one === target.value) ?? 'member')}
      />
    </FormDialog>
  );
}

/** People of the owner's other projects, who are a click away. */
function Suggestions({
  project,
  onChoose,
}: {
  readonly project: string;
  readonly onChoose: (email: string) => void;
}) {
  const { data: people = [] } = useQuery(query.suggestedPeople({ project }));
  if (people.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <span className="text-12 text-ink-3">{t.suggestions}</span>
      {people.map(({ email }) => (
        <Button key={email} size="small" onClick={() => onChoose(email)}>
          {email}
        </Button>
      ))}
    </div>
  );
}
