import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bookmark } from 'lucide-react';
import { useMemo } from 'react';
import { m } from '../messages/index.ts';
import { rowsQuery } from '../pages/checks/board.ts';
import { filtered, readView } from '../pages/checks/view.ts';
import { query } from './read.ts';
import { type SavedView, searchOfView } from './views.ts';

/** More are found in the menu of the list, and in the palette. */
const MAX_SHOWN = 8;

/** The views of the project below its pages. How many checks each shows is said while a list has read the checks. */
export function ViewLinks({ project }: { readonly project: string }) {
  const { data: views = [] } = useQuery(query.savedViews({ project }));
  const { data: rows } = useQuery({ ...rowsQuery(project), enabled: false });
  const shown = views.slice(0, MAX_SHOWN);
  const counts = useMemo(
    () =>
      new Map(
        rows &&
          views.map((view) => [view.uuid, filtered(rows, readView(searchOfView(view))).length] as const),
      ),
    [rows, views],
  );
  if (shown.length === 0) return null;
  return (
    <div className="mt-3 flex flex-col gap-0.5 max-xl:hidden">
      <h2 className="px-2 pb-0.5 text-11 font-normal text-ink-3">{m.views.title}</h2>
      {shown.map((view) => (
        <ViewLink key={view.uuid} project={project} view={view} count={counts.get(view.uuid)} />
      ))}
    </div>
  );
}

function ViewLink({
  project,
  view,
  count,
}: {
  readonly project: string;
  readonly view: SavedView;
  readonly count: number | undefined;
}) {
  return (
    <Link
      to="/projects/$project/checks/"
      params={{ project }}
      search={searchOfView(view)}
      activeOptions={{ exact: true, includeSearch: true }}
      activeProps={{ className: 'bg-ink/7 text-ink' }}
      inactiveProps={{ className: 'text-ink-2' }}
      className="flex h-7.5 items-center gap-[9px] rounded-[7px] px-2 font-medium hover:bg-hover"
    >
      <Bookmark className="size-4 flex-none text-ink-3" />
      <span className="min-w-0 flex-1 truncate">{view.name}</span>
      {count !== undefined && (
        <span className="text-12 font-normal text-ink-3">
          <span aria-hidden="true">{count}</span>
          <span className="sr-only">{m.views.count(count)}</span>
        </span>
      )}
    </Link>
  );
}
