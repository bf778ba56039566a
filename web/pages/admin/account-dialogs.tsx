import { act } from '../../app/act.ts';
import type { Answer } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { tell } from '../../ui/toasts.tsx';

const t = m.admin.accounts;

export type Account = Answer<'accountDirectory'>['accounts'][number];

/** An account for somebody, who chooses their password by a link. */
export function NewAccountDialog({
  onLink,
  onClose,
}: {
  readonly onLink: (link: string) => void;
  readonly onClose: () => void;
}) {
  return (
    <FormDialog
      title={t.new}
      action={t.make}
      className="grid gap-3.5"
      send={({ email = '', name = '', admin }) => act.createAccount({ email, name, isAdmin: admin === 'on' })}
      done={({ link }) => link !== null && onLink(link)}
      onClose={onClose}
    >
      <Field label={m.fields.email} name="email" type="email" required autoComplete="off" />
      <Field label={m.fields.name} name="name" autoComplete="off" />
      <Checkbox label={t.isAdmin} name="admin" />
    </FormDialog>
  );
}

interface AccountDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

export function LimitsDialog({ account, onClose }: AccountDialogProps) {
  return (
    <FormDialog
      title={t.limitsOf(account.email)}
      action={m.controls.save}
      className="grid gap-3.5"
      send={({ checks, pings }) =>
        act.setAccountLimits({ account: account.uuid, checks: Number(checks), pings: Number(pings) })
      }
      done={() => tell(t.limitsSaved)}
      onClose={onClose}
    >
      <Field
        label={t.maxChecks}
        name="checks"
        type="number"
        min={0}
        required
        defaultValue={account.limits.checks}
      />
      <Field
        label={t.maxPings}
        hint={t.maxPingsHint}
        name="pings"
        type="number"
        min={1}
        required
        defaultValue={account.limits.pings}
      />
    </FormDialog>
  );
}

export function DeleteAccountDialog({ account: { uuid, email }, onClose }: AccountDialogProps) {
  return (
    <ConfirmDialog
      title={t.deleteTitle(email)}
      typedName={email}
      action={t.deleteAction}
      run={() => act.deleteAccount({ account: uuid, email })}
      done={() => tell(t.deleted(email))}
      onClose={onClose}
    >
      {t.deleteLead}
    </ConfirmDialog>
  );
}
