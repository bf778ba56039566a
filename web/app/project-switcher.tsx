import { useSuspenseQuery } from '@tanstack/react-query';
import { ChevronsUpDown, FolderOpen, ListChecks } from 'lucide-react';
import { m } from '../messages/index.ts';
import { Chip } from '../ui/chip.tsx';
import { Glyph } from '../ui/glyph.tsx';
import { Menu, MenuLine, MenuLink } from '../ui/menu.tsx';
import { lastProject } from './last-project.ts';
import { ICON } from './nav-icon.ts';
import { query } from './read.ts';
import type { OwnProject } from './use-project.ts';

type Status = OwnProject['status'];

function ProjectGlyph({ status }: { readonly status: Status }) {
  return <Glyph shape={status} label={m.statuses[status]} className="size-3.5" />;
}

const WORST_FIRST: readonly Status[] = ['down', 'late', 'up'];

const LOOKS = {
  bar: 'mb-2.5 flex w-full items-center gap-2 rounded-control border border-line-2 bg-surface px-2 py-1.5 text-left font-medium shadow-1 max-xl:h-8.5 max-xl:justify-center',
  head: '-ml-1.5 flex min-h-11 max-w-full items-center gap-1.5 rounded-control px-1.5 font-medium md:hidden',
};

/** Over all projects of the person. */
export const WHOLE_PLACES = [
  { label: m.shell.allProjects, to: '/', icon: <FolderOpen {...ICON} /> },
  { label: m.shell.allChecks, to: '/all-checks/', icon: <ListChecks {...ICON} /> },
] as const;

export function WholeLinks() {
  return WHOLE_PLACES.map(({ label, to, icon }) => (
    <MenuLink key={to} to={to} icon={icon}>
      {label}
    </MenuLink>
  ));
}

/** Says which project is open, and leads to the others. */
export function ProjectSwitcher({
  current,
  place,
}: {
  readonly current: { readonly uuid: string; readonly name: string; readonly status?: Status } | null;
  /** In the side bar, which is narrow on narrow screens, or at the head of a page of a phone. */
  readonly place: keyof typeof LOOKS;
}) {
  const { data } = useSuspenseQuery(query.ownProjects());
  const worst = WORST_FIRST.find((status) => data.projects.some((project) => project.status === status));
  // The project that is open is highlighted. Where none is, the one that was open last has a word.
  const last = current === null ? lastProject() : null;
  return (
    <Menu
      className={LOOKS[place]}
      button={
        <>
          {current === null
            ? worst !== undefined && <Glyph shape={worst} className="size-3.5" />
            : current.status !== undefined && <ProjectGlyph status={current.status} />}
          <span className={`min-w-0 flex-1 truncate ${place === 'bar' ? 'max-xl:sr-only' : ''}`}>
            {current?.name ?? m.shell.allProjects}
          </span>
          <ChevronsUpDown
            className={`size-4 flex-none text-ink-3 ${place === 'bar' ? 'max-xl:hidden' : ''}`}
          />
        </>
      }
    >
      <WholeLinks />
      <MenuLine />
      {data.projects.map((project) => (
        <MenuLink
          key={project.uuid}
          to="/projects/$project/checks/"
          params={{ project: project.uuid }}
          icon={<ProjectGlyph status={project.status} />}
          isCurrent={project.uuid === current?.uuid}
        >
          <span className="truncate">{project.name}</span>
          {project.uuid === last && <Chip>{m.shell.lastVisited}</Chip>}
        </MenuLink>
      ))}
    </Menu>
  );
}
