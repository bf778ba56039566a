import { useMutation } from '@tanstack/react-query';
import type { AccountEntryJson } from '../../../src/wire/dashboard/admin-output.ts';
import { post } from '../../app/api.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { tell } from '../../ui/toasts.tsx';
import { TypedNameDialog } from '../../ui/typed-name-dialog.tsx';

const t = m.admin.accounts;

/** An account for somebody, who chooses their password by a link. */
export function NewAccountDialog({
  onLink,
  onClose,
}: {
  readonly onLink: (link: string) => void;
  readonly onClose: () => void;
}) {
  const form = useForm<{ readonly link: string | null }>(
    ({ email, name, admin }) => post('/admin/accounts', { email, name, is_admin: admin === 'on' }),
    ({ link }) => {
      if (link !== null) onLink(link);
      onClose();
    },
  );
  const error = form.otherError('email', 'name');
  return (
    <Dialog title={t.new} onClose={onClose}>
      <form className="grid gap-7" onSubmit={form.onSubmit}>
        <Field
          label={m.fields.email}
          name="email"
          type="email"
          required
          autoComplete="off"
          error={form.errorOf('email')}
        />
        <Field label={m.fields.name} name="name" autoComplete="off" error={form.errorOf('name')} />
        <Checkbox label={t.isAdmin} name="admin" />
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            {t.make}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface AccountDialogProps {
  readonly account: AccountEntryJson;
  readonly onClose: () => void;
}

/** How much the account may have. */
export function LimitsDialog({ account, onClose }: AccountDialogProps) {
  const form = useForm(
    ({ checks, pings }) =>
      post(`/admin/accounts/${account.uuid}/limits`, { checks: Number(checks), pings: Number(pings) }),
    () => {
      tell(t.limitsSaved);
      onClose();
    },
  );
  const error = form.otherError('checks', 'pings');
  return (
    <Dialog title={t.limitsOf(account.email)} onClose={onClose}>
      <form className="grid gap-7" onSubmit={form.onSubmit}>
        <Field
          label={t.maxChecks}
          name="checks"
          type="number"
          min={0}
          required
          defaultValue={account.limits.checks}
          error={form.errorOf('checks')}
        />
        <Field
          label={t.maxPings}
          hint={t.maxPingsHint}
          name="pings"
          type="number"
          min={1}
          required
          defaultValue={account.limits.pings}
          error={form.errorOf('pings')}
        />
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            {m.controls.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

export function DeleteAccountDialog({ account, onClose }: AccountDialogProps) {
  const deletion = useMutation({
    mutationFn: () => post(`/admin/accounts/${account.uuid}/delete`, { email: account.email }),
    onSuccess: () => {
      tell(t.deleted(account.email));
      onClose();
    },
  });
  return (
    <TypedNameDialog
      title={t.deleteTitle(account.email)}
      name={account.email}
      action={t.deleteAction}
      error={deletion.error?.message ?? null}
      isBusy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      {t.deleteLead}
    </TypedNameDialog>
  );
}
