import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ActAnswer, act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Field } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';

const t = m.account.app;

type Setup = ActAnswer<'beginAuthenticator'>;

export function AuthenticatorRow({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }) {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const { data: factors } = useSuspenseQuery(query.secondFactors());
  const [setup, setSetup] = useState<Setup | null>(null);
  const [isRemoving, setIsRemoving] = useState(false);
  const begin = useAct(act.beginAuthenticator, setSetup);
  const { authenticator } = factors;
  if (!entrance.signIn.isLocal && authenticator === null) return null;
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
          <Button size="small" isBusy={begin.isBusy} onClick={() => begin.run()}>
            {t.setUp}
          </Button>
        ) : (
          <>
            <span className="inline-flex items-center gap-1.5 text-12 font-medium text-ink-2">
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
  const { data: account } = useSuspenseQuery(query.account());
  return (
    <FormDialog
      title={t.dialog}
      action={t.submit}
      send={({ code = '' }) => act.addAuthenticator({ sealed: setup.sealed, code: code.trim() })}
      done={({ recoveryCodes }) => {
        tell(t.added);
        if (recoveryCodes !== null) onCodes(recoveryCodes);
      }}
      noValidate
      onClose={onClose}
    >
      <p className="text-13 text-ink-2">{t.scan}</p>
      <div className="grid justify-items-center gap-2">
        <QrCode text={setup.uri} label={t.code(account.email)} />
        <a href={setup.uri} className="touch text-12 font-medium text-link">
          {t.open}
        </a>
      </div>
      <CopyField label={t.secret} text={setup.secret} />
      <Field
        label={t.typed}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        className="font-mono tracking-[.2em]"
      />
    </FormDialog>
  );
}

function RemoveDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: factors } = useSuspenseQuery(query.secondFactors());
  return (
    <ConfirmDialog
      title={t.removeTitle}
      action={t.removeAction}
      run={() => act.removeAuthenticator()}
      done={() => tell(t.removed)}
      onClose={onClose}
    >
      {t.removeLead} {factors.count === 1 && m.account.passkeys.removeLast}
    </ConfirmDialog>
  );
}
