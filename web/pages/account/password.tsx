import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { tell } from '../../ui/toasts.tsx';

const t = m.account.password;

export function PasswordRow() {
  const { data: account } = useSuspenseQuery(query.account());
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const [isOpen, setIsOpen] = useState(false);
  if (!entrance.signIn.isLocal) return null;
  const none = entrance.hasMail ? t.none : t.noneWithoutMail;
  return (
    <>
      <SettingRow title={t.title} lead={account.hasPassword ? t.set : none}>
        <Button size="small" onClick={() => setIsOpen(true)}>
          {account.hasPassword ? t.change : t.choose}
        </Button>
      </SettingRow>
      {isOpen && <PasswordDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}

function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const { data } = useQuery(query.accountTokens());
  const tokens = data?.tokens ?? [];
  return (
    <FormDialog
      title={t.dialog}
      action={t.submit}
      send={({ password = '', revokeTokens }) =>
        act.changePassword({ password, revokeTokens: revokeTokens !== undefined })
      }
      done={() => tell(t.done)}
      noValidate
      onClose={onClose}
    >
      <Field
        label={m.fields.newPassword}
        name="password"
        type="password"
        autoComplete="new-password"
        hint={m.fields.passwordHint(entrance.minPasswordLength)}
      />
      {tokens.length > 0 && (
        <Checkbox label={t.revokeTokens(tokens.length)} hint={t.revokeTokensHint} name="revokeTokens" />
      )}
    </FormDialog>
  );
}
