import { infiniteQueryOptions, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { download } from '../../app/download.ts';
import { query, read } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { Section } from '../../ui/section.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { AccountPage } from './account-page.tsx';

const t = m.account.log;

const logQuery = infiniteQueryOptions({
  queryKey: query.ownActs({ cursor: '' }).queryKey,
  queryFn: ({ pageParam }) => read.ownActs({ cursor: pageParam }),
  initialPageParam: '',
  getNextPageParam: ({ cursor }) => cursor,
});

/** The audit log of the person. */
export function OwnLog() {
  const log = useSuspenseInfiniteQuery(logQuery);
  const acts = log.data.pages.flatMap((page) => page.acts);
  const save = useAct(() => download('/account/audit-log/export?format=csv', 'audit-log.csv'));
  return (
    <AccountPage title={m.account.sections.log}>
      <Section
        title={t.title}
        lead={t.lead}
        action={
          <Button size="small" isBusy={save.isBusy} onClick={() => save.run()}>
            <Download className="size-4 text-ink-3" />
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
                className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 px-4 py-2 md:grid-cols-[100px_minmax(0,1fr)_auto]"
              >
                <ClockTime at={act.at} hasSeconds className="text-12 text-ink-3" />
                <span className="min-w-0">
                  {m.acts[act.action] ?? act.action} <b className="font-medium">{act.subject.name}</b>
                </span>
                <span className="text-12 text-ink-3 max-md:col-start-2">
                  {t.by(t.means[act.means] ?? act.means, act.address)}
                </span>
              </li>
            ))}
          </ol>
        )}
        <MoreButton list={log}>{t.more}</MoreButton>
      </Section>
    </AccountPage>
  );
}
