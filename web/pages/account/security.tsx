import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post, ROOT, remove } from '../../app/api.ts';
import { accountQuery, entranceQuery } from '../../app/queries.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Note } from '../../ui/note.tsx';
import { Section } from '../../ui/section.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';
import { AccountPage } from './account-page.tsx';
import { AuthenticatorRow } from './authenticator.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordRow } from './password.tsx';
import { ProfileSection } from './profile.tsx';
import { factorsQuery, identitiesQuery } from './queries.ts';
import { RecoveryCodesRow, ShownCodes } from './recovery-codes.tsx';

const t = m.account;

const FEW_CODES = 3;

/** Who may be this person: address, keys, second factors, password. */
export function Security() {
  return (
    <AccountPage title={t.sections.security}>
      <ProfileSection />
      <SecondFactors />
      <Identities />
    </AccountPage>
  );
}

/** Keys, app, codes and password. Also what people without a second factor see where everybody needs one. */
export function SecondFactors() {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <div className="grid gap-10">
      <Warning />
      {codes !== null && <ShownCodes codes={codes} onStored={() => setCodes(null)} />}
      <Passkeys onCodes={setCodes} />
      <Card className="[&>div]:py-1">
        <AuthenticatorRow onCodes={setCodes} />
        <RecoveryCodesRow onCodes={setCodes} />
        <PasswordRow />
      </Card>
    </div>
  );
}

/** What is the matter with the guard of the account, if anything is. */
function Warning() {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const { data: factors } = useSuspenseQuery(factorsQuery);
  const { count, recovery_codes_left: left } = factors;
  if (!entrance.sign_in.is_local) return null;
  if (count === 0) return <Note kind="late">{t.guard.none}</Note>;
  if (left <= FEW_CODES) return <Note kind="late">{t.guard.fewCodes(left)}</Note>;
  if (count === 1) return <Note kind="late">{t.guard.onlyOne}</Note>;
  return null;
}

/** The persons of a provider that the account belongs to. */
function Identities() {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: owned } = useSuspenseQuery(identitiesQuery);
  const { provider } = entrance.sign_in;
  if (provider === null && owned.identities.length === 0) return null;
  return (
    <Section title={t.identities.title} lead={t.identities.lead}>
      <Card className="[&>div]:py-1">
        {owned.identities.map((identity) => (
          <SettingRow
            key={identity.uuid}
            title={identity.email === '' ? account.email : identity.email}
            lead={
              <>
                {new URL(identity.issuer).host} · {t.identities.connected} <ClockTime at={identity.created} />{' '}
                · {t.identities.used} <ClockTime at={identity.last_used} />
              </>
            }
          >
            {owned.is_last_way_in ? (
              <span className="text-12 text-ink-3">{t.identities.lastWay}</span>
            ) : (
              <Disconnect uuid={identity.uuid} />
            )}
          </SettingRow>
        ))}
        {provider !== null && owned.identities.length === 0 && <Connect name={provider.name} />}
      </Card>
    </Section>
  );
}

function Disconnect({ uuid }: { readonly uuid: string }) {
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => remove(`/account/identities/${uuid}`),
    onSuccess: () => {
      tell(t.identities.removed);
      return queries.invalidateQueries({ queryKey: ['account'] });
    },
    onError: (error) => tellError(error.message),
  });
  return (
    <Button kind="ghost" size="small" className="text-down!" isBusy={isPending} onClick={() => mutate()}>
      {t.identities.remove}
    </Button>
  );
}

/** Leads to the provider, which sends the person back. */
function Connect({ name }: { readonly name: string }) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      post<{ readonly address: string }>('/account/identities/connect', {
        next: location.pathname.slice(ROOT.length),
      }),
    onSuccess: ({ address }) => location.assign(address),
  });
  return (
    <SettingRow
      title={t.identities.none(name)}
      lead={error !== null && <ErrorText>{error.message}</ErrorText>}
    >
      <Button size="small" isBusy={isPending} onClick={() => mutate()}>
        {t.identities.connect(name)}
      </Button>
    </SettingRow>
  );
}
