import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { ROOT } from '../../app/api.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { Note } from '../../ui/note.tsx';
import { Section } from '../../ui/section.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';
import { AccountPage } from './account-page.tsx';
import { AuthenticatorRow } from './authenticator.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordRow } from './password.tsx';
import { ProfileSection } from './profile.tsx';
import { RecoveryCodesRow, ShownCodes } from './recovery-codes.tsx';

const t = m.account;

const FEW_CODES = 3;

/** Proofs of identity: address, keys, second factors, password. */
export function Security() {
  return (
    <AccountPage title={t.sections.security}>
      <ProfileSection />
      <SecondFactors />
      <Identities />
    </AccountPage>
  );
}

/** Keys, app, codes and password. People without a second factor also see it where everybody needs one. */
export function SecondFactors() {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <div className="grid gap-5">
      <Warning />
      {codes !== null && <ShownCodes codes={codes} onStored={() => setCodes(null)} />}
      <Passkeys onCodes={setCodes} />
      <Card className="[&>div]:py-0.5">
        <AuthenticatorRow onCodes={setCodes} />
        <RecoveryCodesRow onCodes={setCodes} />
        <PasswordRow />
      </Card>
    </div>
  );
}

/** The weakness of the account's protection, if there is one. */
function Warning() {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const { data: factors } = useSuspenseQuery(query.secondFactors());
  const { count, recoveryCodesLeft: left } = factors;
  if (!entrance.signIn.isLocal) return null;
  if (count === 0) return <Note kind="late">{t.guard.none}</Note>;
  if (left <= FEW_CODES) return <Note kind="late">{t.guard.fewCodes(left)}</Note>;
  if (count === 1) return <Note kind="late">{t.guard.onlyOne}</Note>;
  return null;
}

/** The persons of a provider that the account belongs to. */
function Identities() {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const { data: account } = useSuspenseQuery(query.account());
  const { data: owned } = useSuspenseQuery(query.identities());
  const { provider } = entrance.signIn;
  if (provider === null && owned.identities.length === 0) return null;
  return (
    <Section title={t.identities.title} lead={t.identities.lead}>
      <Card className="[&>div]:py-0.5">
        {owned.identities.map((identity) => (
          <SettingRow
            key={identity.uuid}
            title={identity.email === '' ? account.email : identity.email}
            lead={
              <>
                {new URL(identity.issuer).host} · {t.identities.connected} <ClockTime at={identity.created} />{' '}
                · {t.identities.used} <ClockTime at={identity.lastUsed} />
              </>
            }
          >
            {owned.isLastWayIn ? (
              <span className="text-12 text-ink-3">{t.identities.lastWay}</span>
            ) : (
              <Disconnect identity={identity.uuid} />
            )}
          </SettingRow>
        ))}
        {provider !== null && owned.identities.length === 0 && <Connect name={provider.name} />}
      </Card>
    </Section>
  );
}

function Disconnect({ identity }: { readonly identity: string }) {
  const disconnect = useAct(act.removeIdentity, () => tell(t.identities.removed));
  return (
    <Button
      kind="ghostDanger"
      size="small"
      isBusy={disconnect.isBusy}
      onClick={() => disconnect.run({ identity })}
    >
      {t.identities.remove}
    </Button>
  );
}

/** Leads to the provider, which sends the person back. */
function Connect({ name }: { readonly name: string }) {
  return (
    <Form
      className="contents"
      send={() => act.connectIdentity({ next: location.pathname.slice(ROOT.length) })}
      done={({ address }) => location.assign(address)}
      isKept
    >
      <SettingRow title={t.identities.none(name)} lead={<FormError />}>
        <Submit kind="plain" size="small">
          {t.identities.connect(name)}
        </Submit>
      </SettingRow>
    </Form>
  );
}
