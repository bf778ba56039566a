import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeInvitationJson } from '../../../src/wire/dashboard/team-output.ts';
import { get, post } from '../../app/api.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { tell } from '../../ui/toasts.tsx';
import { invitationsQuery } from './invitations.tsx';

const t = m.settings.invitations;

const suggestionsQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'suggestions'],
    queryFn: () =>
      get<{ readonly people: readonly { readonly email: string; readonly name: string }[] }>(
        `/projects/${project}/members/suggestions`,
      ),
  });

/** Invites somebody by mail, or makes a link to pass on. */
export function InviteDialog({
  project,
  onClose,
}: {
  readonly project: string;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [link, setLink] = useState<string | null>(null);
  const form = useForm<MadeInvitationJson>(
    ({ role }) => post(`/projects/${project}/invitations`, { role, ...(email !== '' && { email }) }),
    (made) => {
      void queries.invalidateQueries({ queryKey: invitationsQuery(project).queryKey });
      if (made.link !== null) return setLink(made.link);
      tell(t.mailed(made.email ?? ''));
      onClose();
    },
  );
  if (link !== null)
    return (
      <Dialog title={t.made} mustStay onClose={onClose}>
        <ShownOnce title={t.link} secret={link} onStored={onClose} />
      </Dialog>
    );
  const error = form.otherError('email');
  return (
    <Dialog title={t.invite} onClose={onClose}>
      <form className="grid gap-7" onSubmit={form.onSubmit}>
        <Field
          label={m.fields.email}
          hint={t.emailHint}
          type="email"
          value={email}
          maxLength={254}
          autoComplete="off"
          onChange={(event) => setEmail(event.target.value)}
          error={form.errorOf('email')}
        />
        <Suggestions project={project} onChoose={setEmail} />
        <Select label={t.role} name="role" defaultValue="member" hint={t.roleHint}>
          <option value="member">{m.roles.member}</option>
          <option value="manager">{m.roles.manager}</option>
          <option value="read_only">{m.roles.read_only}</option>
        </Select>
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            {email === '' ? t.makeLink : t.send}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
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
  const { data } = useQuery(suggestionsQuery(project));
  if (data === undefined || data.people.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <span className="text-12 text-ink-3">{t.suggestions}</span>
      {data.people.map((person) => (
        <Button key={person.email} size="small" onClick={() => onChoose(person.email)}>
          {person.email}
        </Button>
      ))}
    </div>
  );
}
