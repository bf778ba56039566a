import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../app/api.ts';
import { accountQuery, entranceQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { tell } from '../../ui/toasts.tsx';
import { tokensQuery } from './queries.ts';

const t = m.account.password;

export function PasswordRow() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const [isOpen, setIsOpen] = useState(false);
  if (!entrance.sign_in.is_local) return null;
  const none = entrance.has_mail ? t.none : t.noneWithoutMail;
  return (
    <>
      <SettingRow title={t.title} lead={account.has_password ? t.set : none}>
        <Button size="small" onClick={() => setIsOpen(true)}>
          {account.has_password ? t.change : t.choose}
        </Button>
      </SettingRow>
      {isOpen && <PasswordDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}

function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const { data } = useQuery(tokensQuery);
  const tokens = data?.tokens ?? [];
  const queries = useQueryClient();
  const form = useForm(
    ({ password, revoke_tokens: revokes }) =>
      post('/account/password', { password, revoke_tokens: revokes !== undefined }),
    () => {
      void queries.invalidateQueries({ queryKey: ['account'] });
      tell(t.done);
      onClose();
    },
  );
  const error = form.otherError('password');
  return (
    <Dialog title={t.dialog} onClose={onClose}>
      <form className="grid gap-6" onSubmit={form.onSubmit} noValidate>
        <Field
          label={m.fields.newPassword}
          name="password"
          type="password"
          autoComplete="new-password"
          autoFocus
          hint={m.fields.passwordHint(entrance.min_password_length)}
          error={form.errorOf('password')}
        />
        {tokens.length > 0 && (
          <Checkbox label={t.revokeTokens(tokens.length)} hint={t.revokeTokensHint} name="revoke_tokens" />
        )}
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {t.submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
