import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { totalsOf } from '../../../src/domain/history/standing.ts';
import type { BoardChannelJson, CheckRowJson } from '../../../src/views/board-json.ts';
import { FailedPart } from '../../app/failed-part.tsx';
import { ProjectSwitcher } from '../../app/project-switcher.tsx';
import { query } from '../../app/read.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Page } from '../../ui/page.tsx';
import { Answer } from './answer.tsx';
import { Band } from './band.tsx';
import { useBoard } from './board.ts';
import { List, Skeleton } from './list.tsx';
import './band.css';
import './filters.css';
import './list.css';

/** Few people see it: it is loaded when somebody does. */
const FirstRun = lazy(async () => ({ default: (await import('./first-run.tsx')).FirstRun }));

const NO_CHANNELS: readonly BoardChannelJson[] = [];
const NO_ROWS: readonly CheckRowJson[] = [];

/** All checks of a project: whether anything is wrong, and what about it. */
export function Checks() {
  const project = useProject();
  const search = useSearch({ from: '/signed-in/projects/$project/checks' });
  const { store, data, error, refetch } = useBoard(project.uuid);
  const { data: head, isPending } = useQuery(query.checkHead({ project: project.uuid }));
  // Without the head it is not known whether somebody begins here. Either would move the other if it came later.
  const rows = isPending ? undefined : data;
  const isWriter = mayWrite(project);
  const totals = useMemo(() => totalsOf((rows ?? NO_ROWS).map(({ standing }) => standing)), [rows]);
  const { isBeginning, end } = useBeginning(project.uuid, isWriter && head?.isFirstRun === true);
  return (
    <Page
      title={m.checks.title(totals.down)}
      name={m.checks.name}
      project={project}
      phoneHead={<ProjectSwitcher current={project} place="head" />}
      actions={
        isWriter ? (
          <AddCheck project={project.uuid} tag={search.tag} limit={head?.limit} />
        ) : (
          <Chip>{m.roles.read_only}</Chip>
        )
      }
    >
      <div className="checks-page">
        {rows === undefined && error !== null ? (
          <FailedPart title={m.checks.failed} error={error} tryAgain={refetch} />
        ) : rows !== undefined && rows.length <= 1 && head !== undefined && isBeginning ? (
          <Suspense>
            <FirstRun project={project.uuid} channels={head.channels} row={rows[0] ?? null} onDone={end} />
          </Suspense>
        ) : rows?.length === 0 ? (
          <Blank shape="new" title={m.checks.empty}>
            {m.checks.emptyReadOnly}
          </Blank>
        ) : (
          <>
            <section className="answer">
              {rows === undefined ? (
                <div className="answer-space" />
              ) : (
                <Answer totals={totals} head={head} mayAssign={() => isWriter} />
              )}
              <Band head={rows && head} />
            </section>
            {rows === undefined ? (
              <Skeleton />
            ) : (
              <List
                key={project.uuid}
                scope={project.uuid}
                rows={rows}
                channels={head?.channels ?? NO_CHANNELS}
                reminder={head?.reminder ?? null}
                store={store}
                search={search}
              />
            )}
          </>
        )}
      </div>
    </Page>
  );
}

/** A person who has begun here stays with it until they have seen the first ping. */
function useBeginning(project: string, isFirstRun: boolean) {
  const [begun, setBegun] = useState<string | null>(null);
  const isBeginning = isFirstRun || begun === project;
  if (isFirstRun && begun !== project) setBegun(project);
  return { isBeginning, end: () => setBegun(null) };
}

function AddCheck({
  project,
  tag,
  limit,
}: {
  readonly project: string;
  readonly tag: unknown;
  readonly limit: { readonly used: number; readonly max: number } | undefined;
}) {
  const label = (
    <>
      <Plus className="size-4" />
      <span className="max-md:sr-only">{m.checks.add}</span>
    </>
  );
  if (limit !== undefined && limit.used >= limit.max) {
    const reason = m.checks.atLimit(limit.used, limit.max);
    return (
      <Button kind="primary" aria-disabled="true" title={reason} className="opacity-45">
        {label}
        <span className="sr-only">. {reason}</span>
      </Button>
    );
  }
  return (
    <ButtonLink
      kind="primary"
      to="/projects/$project/checks/new/"
      params={{ project }}
      // A tag of the list that is filtered by is chosen already.
      search={tag === undefined ? {} : { tag }}
      data-add-check
      className="max-md:border-transparent max-md:bg-transparent max-md:text-ink max-md:shadow-none"
    >
      {label}
      <span className="max-md:hidden">
        <Kbd>{m.checks.addKey}</Kbd>
      </span>
    </ButtonLink>
  );
}
