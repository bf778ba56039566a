import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post, remove } from '../../app/api.ts';
import { accountQuery, entranceQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { Question } from '../../ui/question.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';
import { factorsQuery } from './queries.ts';

const t = m.account.app;

/** What the app has to know. */
interface Setup {
  readonly secret: string;
  readonly uri: string;
  readonly sealed: string;
}

export function AuthenticatorRow({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }) {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const { data: factors } = useSuspenseQuery(factorsQuery);
  const [setup, setSetup] = useState<Setup | null>(null);
  const [isRemoving, setIsRemoving] = useState(false);
  const begin = useMutation({
    mutationFn: () => post<Setup>('/account/authenticator/begin'),
    onSuccess: setSetup,
    onError: (error) => tellError(error.message),
  });
  const { authenticator } = factors;
  if (!entrance.sign_in.is_local && authenticator === null) return null;
  return (
    <>
      <SettingRow
        title={t.title}
        lead={
          authenticator === null ? (
            t.off
          ) : (
            <>
              {t.on} <ClockTime at={authenticator.created} />.
            </>
          )
        }
      >
        {authenticator === null ? (
          <Button size="small" isBusy={begin.isPending} onClick={() => begin.mutate()}>
            {t.setUp}
          </Button>
        ) : (
          <>
            <span className="inline-flex items-center gap-3 text-12 font-medium text-ink-2">
              <Glyph shape="up" />
              {t.isOn}
            </span>
            <Button size="small" onClick={() => setIsRemoving(true)}>
              {t.remove}
            </Button>
          </>
        )}
      </SettingRow>
      {setup !== null && <SetupDialog setup={setup} onClose={() => setSetup(null)} onCodes={onCodes} />}
      {isRemoving && <RemoveDialog onClose={() => setIsRemoving(false)} />}
    </>
  );
}

function SetupDialog({
  setup,
  onClose,
  onCodes,
}: {
  readonly setup: Setup;
  readonly onClose: () => void;
  readonly onCodes: (codes: readonly string[]) => void;
}) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const queries = useQueryClient();
  const form = useForm(
    ({ code = '' }) =>
      post<{ readonly recovery_codes: readonly string[] | null }>('/account/authenticator', {
        sealed: setup.sealed,
        code: code.trim(),
      }),
    ({ recovery_codes: codes }) => {
      void queries.invalidateQueries({ queryKey: ['account'] });
      tell(t.added);
      if (codes !== null) onCodes(codes);
      onClose();
    },
  );
  const error = form.otherError('code');
  return (
    <Dialog title={t.dialog} onClose={onClose}>
      <p className="text-13 text-ink-2">{t.scan}</p>
      <div className="grid justify-items-center gap-4">
        <QrCode text={setup.uri} label={t.code(account.email)} />
        <a href={setup.uri} className="text-12 font-medium text-link">
          {t.open}
        </a>
      </div>
      <CopyField label={t.secret} text={setup.secret} />
      <form className="grid gap-6" onSubmit={form.onSubmit} noValidate>
        <Field
          label={t.typed}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          className="font-mono tracking-[.2em]"
          error={form.errorOf('code')}
        />
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

function RemoveDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { data: factors } = useSuspenseQuery(factorsQuery);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => remove('/account/authenticator'),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['account'] });
      tell(t.removed);
      onClose();
    },
  });
  return (
    <Question
      title={t.removeTitle}
      action={t.removeAction}
      error={error?.message ?? null}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {t.removeLead} {factors.count === 1 && m.account.passkeys.removeLast}
    </Question>
  );
}
