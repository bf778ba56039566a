import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { shownName } from '../../app/channel-names.ts';
import { type Answer, read } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Ago } from '../../ui/time.tsx';
import { type SettingName, settingWords } from '../check-editor/settings.ts';
import type { ShownCheck } from './queries.ts';

const t = m.check.history;

/** The changes of the check. They are read on demand. For people who may change the check. */
export function HistoryCard({ check, name }: { readonly check: ShownCheck; readonly name: string }) {
  const [isOpen, setIsOpen] = useState(false);
  if (!check.may.edit) return null;
  return (
    <Card
      title={t.title}
      action={
        !isOpen && (
          <Button size="small" onClick={() => setIsOpen(true)}>
            {t.show}
          </Button>
        )
      }
    >
      {isOpen ? <Changes check={check} name={name} /> : <p className="text-12 text-ink-3">{t.lead}</p>}
    </Card>
  );
}

function Changes({ check, name }: { readonly check: ShownCheck; readonly name: string }) {
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['check', name, 'history'],
    queryFn: ({ pageParam }) => read.checkHistory({ check: name, cursor: pageParam }),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
  });
  if (error !== null) return <ErrorText>{error.message}</ErrorText>;
  if (data === undefined) return <Skeleton className="w-45" />;
  const changes = data.pages.flatMap((page) => page.changes);
  return (
    <div className="grid gap-2.5">
      {changes.length === 0 && <p className="text-ink-3">{t.none}</p>}
      <ol className="grid">
        {changes.map((change, place) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and those of one instant keep their order
            key={`${change.at} ${changes.length - place}`}
            className="grid gap-1 border-t border-line py-2 first:border-t-0 first:pt-0"
          >
            <Change change={change} check={check} />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button size="small" isBusy={isFetching} onClick={() => void fetchNextPage()}>
          {t.older}
        </Button>
      )}
    </div>
  );
}

function Change({
  change,
  check,
}: {
  readonly change: Answer<'checkHistory'>['changes'][number];
  readonly check: ShownCheck;
}) {
  const { at, actor, means, action, before, after } = change;
  const actions: Readonly<Record<string, string>> = t.actions;
  const names = Object.keys(after) as SettingName[];
  const channelName = (uuid: string) => {
    const channel = check.channels.find(({ id }) => id === uuid);
    return channel === undefined ? t.goneChannel : shownName(channel);
  };
  const words = (settings: typeof before, name: SettingName) => settingWords(name, settings, channelName);
  return (
    <>
      <p className="min-w-0 [overflow-wrap:anywhere]">
        <b className="font-medium">{actor}</b> {actions[action] ?? action}
        <span className="text-12 text-ink-3">
          {' · '}
          <Ago at={at} />
          {means !== 'session' && ` · ${m.settings.audit.through[means]}`}
        </span>
      </p>
      {names.length > 0 && (
        <dl className="grid gap-0.5 text-12">
          {names.map((name) => (
            <div key={name} className="min-w-0 [overflow-wrap:anywhere]">
              <dt className="inline text-ink-3">{m.checkEditor.fields[name] ?? name}: </dt>
              <dd className="inline">
                <del className="text-ink-3">{words(before, name)}</del>
                {' → '}
                <ins className="font-medium decoration-up-g">{words(after, name)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
