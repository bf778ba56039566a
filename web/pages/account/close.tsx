import { useSuspenseQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { download } from '../../app/download.ts';
import { open } from '../../app/next.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Section } from '../../ui/section.tsx';
import { AccountPage } from './account-page.tsx';

const t = m.account.close;

/** A copy of everything that is known of the person, and the end of the account. */
export function Close() {
  const { data: account } = useSuspenseQuery(query.account());
  const { data: closing } = useSuspenseQuery(query.accountClosing());
  const [isAsking, setIsAsking] = useState(false);
  const save = useAct(() => download('/account/export', 'tocsin-account.json'));
  const checks = closing.projects.reduce((sum, project) => sum + project.checks, 0);
  return (
    <AccountPage title={m.account.sections.close}>
      <Section
        title={t.export}
        lead={t.exportLead}
        action={
          <Button size="small" isBusy={save.isBusy} onClick={() => save.run()}>
            <Download className="size-4 text-ink-3" />
            {t.download}
          </Button>
        }
      >
        {null}
      </Section>
      <Section title={t.title}>
        <div className="flex items-center gap-4 rounded-card border border-down-g/40 px-4 py-3.5 max-md:flex-col max-md:items-stretch">
          <div className="min-w-0 flex-1">
            <p className="font-medium">{t.name(account.email)}</p>
            <p className="text-12 text-ink-3">
              {closing.projects.length === 0 ? t.nothing : t.owned(closing.projects.length, checks)}
            </p>
          </div>
          <Button size="small" kind="danger" onClick={() => setIsAsking(true)}>
            {t.action}
          </Button>
        </div>
      </Section>
      {isAsking && <CloseDialog onClose={() => setIsAsking(false)} />}
    </AccountPage>
  );
}

function CloseDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: account } = useSuspenseQuery(query.account());
  const { data: closing } = useSuspenseQuery(query.accountClosing());
  const { email } = account;
  return (
    <ConfirmDialog
      title={t.dialog}
      typedName={email}
      action={t.confirm}
      run={() => act.closeAccount({ email })}
      done={() => open('/accounts/login/')}
      staysOpen
      onClose={onClose}
    >
      {closing.projects.length === 0 ? (
        t.nothing
      ) : (
        <>
          {t.lost}
          <ul className="mt-1 list-disc pl-5">
            {closing.projects.map(({ uuid, name, checks, members }) => (
              <li key={uuid}>
                <b className="font-medium text-ink">{name}</b>: {t.checks(checks)}
                {t.others(members)}
              </li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  );
}
