import { infiniteQueryOptions, useMutation, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { ActPageJson } from '../../../src/wire/dashboard/audit-log-output.ts';
import { get } from '../../app/api.ts';
import { download } from '../../app/download.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tellError } from '../../ui/toasts.tsx';
import { AccountPage } from './account-page.tsx';

const t = m.account.log;

const logQuery = infiniteQueryOptions({
  queryKey: ['account', 'audit-log'],
  queryFn: ({ pageParam }) =>
    get<ActPageJson>(`/account/audit-log${pageParam === '' ? '' : `?cursor=${pageParam}`}`),
  initialPageParam: '',
  getNextPageParam: ({ cursor }) => cursor,
});

/** What was done in the name of the person. */
export function OwnLog() {
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(logQuery);
  const acts = data.pages.flatMap((page) => page.acts);
  const save = useMutation({
    mutationFn: () => download('/account/audit-log/export?format=csv', 'audit-log.csv'),
    onError: (error) => tellError(error.message),
  });
  return (
    <AccountPage title={m.account.sections.log}>
      <Section
        title={t.title}
        lead={t.lead}
        action={
          <Button size="small" isBusy={save.isPending} onClick={() => save.mutate()}>
            <Download className="size-8 text-ink-3" strokeWidth={1.5} aria-hidden="true" />
            {t.download}
          </Button>
        }
      >
        {acts.length === 0 ? (
          <Blank title={t.none} />
        ) : (
          <ol className="divide-y divide-line rounded-card border border-line">
            {acts.map((act, place) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: entries have no name, and never change their place
                key={place}
                className="flex flex-wrap items-baseline gap-x-8 px-8 py-4"
              >
                <ClockTime at={act.at} hasSeconds className="w-50 flex-none text-12 text-ink-3" />
                <span className="min-w-0 flex-1 basis-[200px]">
                  <code className="text-12">{act.action}</code>{' '}
                  <span className="text-ink-2">{act.subject.name}</span>
                </span>
                <span className="text-12 text-ink-3">
                  {t.by(t.means[act.means] ?? act.means, act.address)}
                </span>
              </li>
            ))}
          </ol>
        )}
        {hasNextPage && (
          <div>
            <Button size="small" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t.more}
            </Button>
          </div>
        )}
      </Section>
    </AccountPage>
  );
}
