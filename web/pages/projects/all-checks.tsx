import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { totalsOf } from '../../../src/domain/history/standing.ts';
import type { BoardChannelJson, CheckRowJson } from '../../../src/views/board-json.ts';
import { FailedPart } from '../../app/failed-part.tsx';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Page } from '../../ui/page.tsx';
import { Answer } from '../checks/answer.tsx';
import { Band } from '../checks/band.tsx';
import { useBoard } from '../checks/board.ts';
import { List, Skeleton, useProjects } from '../checks/list.tsx';
import { ProjectsSwitch } from './projects-switch.tsx';
import '../checks/band.css';
import '../checks/filters.css';
import '../checks/list.css';

const NO_CHANNELS: readonly BoardChannelJson[] = [];
const NO_ROWS: readonly CheckRowJson[] = [];

/** The checks of all projects of the person: is anything wrong anywhere? */
export function AllChecks() {
  const search = useSearch({ from: '/signed-in/plain/all-checks' });
  const { store, data, error, refetch } = useBoard(null);
  const { data: head, isPending } = useQuery(query.allCheckHead());
  // Either would move the other if it came later.
  const rows = isPending ? undefined : data;
  const { projects, isWritable } = useProjects(null);
  const totals = useMemo(() => totalsOf((rows ?? NO_ROWS).map(({ standing }) => standing)), [rows]);
  return (
    <Page
      title={totals.down === 0 ? m.shell.allChecks : m.checks.title(totals.down)}
      name={m.shell.allChecks}
      above={[{ label: m.projects.title, to: '/' }]}
    >
      <div className="checks-page">
        {rows === undefined && error !== null ? (
          <FailedPart title={m.checks.failed} error={error} tryAgain={refetch} />
        ) : rows?.length === 0 ? (
          <div className="grid justify-items-center pt-6">
            <ProjectsSwitch />
            <Blank shape="new" title={m.checks.empty} />
          </div>
        ) : (
          <>
            <section className="answer">
              {rows === undefined ? (
                <div className="answer-space" />
              ) : (
                <Answer
                  totals={totals}
                  head={head}
                  mayAssign={(key) => rows.some((row) => row.key === key && isWritable(row))}
                  lead={m.projects.inProjects(projects.length)}
                />
              )}
              <div className="mt-2.5">
                <ProjectsSwitch />
              </div>
              <Band head={rows && head} />
            </section>
            {rows === undefined ? (
              <Skeleton />
            ) : (
              <List
                scope={null}
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
