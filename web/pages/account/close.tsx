import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { post } from '../../app/api.ts';
import { download } from '../../app/download.ts';
import { open } from '../../app/next.ts';
import { accountQuery } from '../../app/queries.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { tellError } from '../../ui/toasts.tsx';
import { TypedNameDialog } from '../../ui/typed-name-dialog.tsx';
import { AccountPage } from './account-page.tsx';
import { closingQuery } from './queries.ts';

const t = m.account.close;

/** A copy of everything that is known of the person, and the end of the account. */
export function Close() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: closing } = useSuspenseQuery(closingQuery);
  const [isAsking, setIsAsking] = useState(false);
  const save = useMutation({
    mutationFn: () => download('/account/export', 'tocsin-account.json'),
    onError: (error) => tellError(error.message),
  });
  const checks = closing.projects.reduce((sum, project) => sum + project.checks, 0);
  return (
    <AccountPage title={m.account.sections.close}>
      <Section
        title={t.export}
        lead={t.exportLead}
        action={
          <Button size="small" isBusy={save.isPending} onClick={() => save.mutate()}>
            <Download className="size-8 text-ink-3" strokeWidth={1.5} aria-hidden="true" />
            {t.download}
          </Button>
        }
      >
        {null}
      </Section>
      <Section title={t.title}>
        <div className="flex items-center gap-8 rounded-card border border-down-g/40 px-8 py-7 max-md:flex-col max-md:items-stretch">
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
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: closing } = useSuspenseQuery(closingQuery);
  const { email } = account;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => post('/account/close', { email }),
    onSuccess: () => open('/accounts/login/'),
  });
  return (
    <TypedNameDialog
      title={t.dialog}
      name={email}
      action={t.confirm}
      error={error?.message ?? null}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {closing.projects.length === 0 ? (
        t.nothing
      ) : (
        <>
          {t.lost}
          <ul className="mt-2 list-disc pl-10">
            {closing.projects.map(({ uuid, name, checks, members }) => (
              <li key={uuid}>
                <b className="font-medium text-ink">{name}</b>: {t.checks(checks)}
                {t.others(members)}
              </li>
            ))}
          </ul>
        </>
      )}
    </TypedNameDialog>
  );
}
