// biome-ignore-all lint/a11y/useSemanticElements: on phones the rows of this table are cards
// biome-ignore-all lint/a11y/useFocusableInteractive: rows are not focused, their links are
import './projects.css';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plus, Search } from 'lucide-react';
import { use, useState } from 'react';
import { lastProject } from '../../app/last-project.ts';
import { query } from '../../app/read.ts';
import { useShortcuts } from '../../app/shortcuts.ts';
import type { OwnProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { PersonsTimes, useNow } from '../../ui/time.tsx';
import { clockTime } from '../../ui/times.ts';
import { Answer } from './answer.tsx';
import { LeaveDialog, NewProjectDialog } from './dialogs.tsx';
import { MAX_PULSES } from './heads.ts';
import { DeletedProjects, Offers } from './offers.tsx';
import { ProjectRow } from './project-row.tsx';
import { ProjectsSwitch } from './projects-switch.tsx';

const t = m.projects;

const MINUTE_MS = 60_000;
/** From here on people look for a project by its name. */
const SEARCH_FROM = 8;
const NUMBER_KEYS = 9;

/** All projects of the person: is anything wrong anywhere? */
export function Projects() {
  const { data } = useSuspenseQuery(query.ownProjects());
  const [isNew, setIsNew] = useState(false);
  const [left, setLeft] = useState<OwnProject | null>(null);
  const [text, setText] = useState('');
  const shown = matching(data.projects, text);
  useKeys(shown, () => setIsNew(true));
  const down = data.projects.reduce((sum, { checks }) => sum + checks.down, 0);
  return (
    <Page
      title={t.tab(down)}
      name={t.title}
      actions={
        data.projects.length > 0 && (
          <Button
            kind="primary"
            className="max-md:border-transparent max-md:bg-transparent max-md:text-ink max-md:shadow-none"
            onClick={() => setIsNew(true)}
          >
            <Plus className="size-4" />
            <span className="max-md:sr-only">{t.create}</span>
          </Button>
        )
      }
    >
      {data.projects.length === 0 ? (
        <Nothing onCreate={() => setIsNew(true)} />
      ) : (
        <>
          <Answer projects={data.projects} />
          <Bar isSearchable={data.projects.length >= SEARCH_FROM} text={text} onSearch={setText} />
          {shown.length === 0 ? (
            <Blank title={t.noMatch(text)} actions={<Button onClick={() => setText('')}>{t.clear}</Button>} />
          ) : (
            <Rows projects={shown} onLeave={setLeft} />
          )}
        </>
      )}
      <Offers projects={data.projects} freeChecks={data.freeChecks} />
      <DeletedProjects deleted={data.deleted} />
      {isNew && <NewProjectDialog onClose={() => setIsNew(false)} />}
      {left !== null && <LeaveDialog project={left} onClose={() => setLeft(null)} />}
    </Page>
  );
}

function matching(projects: readonly OwnProject[], text: string): readonly OwnProject[] {
  const words = text.trim().toLowerCase();
  if (words === '') return projects;
  return projects.filter(({ name, owner }) => `${name} ${owner}`.toLowerCase().includes(words));
}

function Nothing({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <div className="px-5 pt-6">
      <h1 className="sr-only">{t.heading}</h1>
      <Blank
        title={t.first}
        actions={
          <Button kind="primary" size="large" onClick={onCreate}>
            <Plus className="size-4" />
            {t.create}
          </Button>
        }
      >
        {t.firstLead}
      </Blank>
    </div>
  );
}

/** Past runs are left of the now line, coming runs right of it. */
const NOW_RIGHT = '[--now-right:302px] max-lg:[--now-right:226px]';
const NOW_LINE = 'pointer-events-none absolute right-(--now-right) z-2 w-0 border-l-[1.5px] max-md:hidden';
const ZONE = 'absolute bottom-[3px] text-11 leading-5 text-ink-3 max-md:hidden';

/** The line of time, and the search where there are many projects. */
function Bar({
  isSearchable,
  text,
  onSearch,
}: {
  readonly isSearchable: boolean;
  readonly text: string;
  readonly onSearch: (text: string) => void;
}) {
  const style = use(PersonsTimes);
  const time = clockTime(useNow(MINUTE_MS), style);
  return (
    <div
      className={`relative flex min-h-10 items-end border-b border-line px-5 pt-3 pb-2 max-md:px-4 max-md:pb-3 ${NOW_RIGHT}`}
    >
      <ProjectsSwitch />
      {isSearchable && (
        <label className="flex h-8 w-[260px] max-w-full items-center gap-2 rounded-control border border-control bg-surface px-2.5 max-md:h-11 max-md:w-full">
          <Search className="size-4 flex-none text-ink-3" />
          <span className="sr-only">{t.search}</span>
          <input
            type="search"
            value={text}
            placeholder={t.search}
            onChange={({ target }) => onSearch(target.value)}
            className="min-w-0 flex-1 bg-transparent outline-none max-md:text-16"
          />
        </label>
      )}
      <span className={`${ZONE} right-[calc(var(--now-right)+46px)]`}>{t.past}</span>
      <span className={`${ZONE} left-[calc(100%-var(--now-right)+46px)]`}>{t.ahead}</span>
      <div className={`${NOW_LINE} bottom-0 h-[23px] border-ink`}>
        <span className="absolute top-0 left-[-0.75px] h-5 -translate-x-1/2 rounded-chip bg-ink px-[7px] text-11 leading-5 font-semibold whitespace-nowrap text-surface">
          {t.now(time)}
        </span>
      </div>
    </div>
  );
}

const COLUMNS = [...Object.values(t.columns), m.controls.actions];

function Rows({
  projects,
  onLeave,
}: {
  readonly projects: readonly OwnProject[];
  readonly onLeave: (project: OwnProject) => void;
}) {
  const last = lastProject();
  return (
    <div className={`relative ${NOW_RIGHT}`} role="table" aria-label={t.list}>
      <div className={`${NOW_LINE} inset-y-0 border-ink/38`} aria-hidden="true" />
      <div className="sr-only" role="row">
        {COLUMNS.map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      {projects.map((project, place) => (
        <ProjectRow
          key={project.uuid}
          project={project}
          hasPulse={place < MAX_PULSES}
          isLast={projects.length > 1 && project.uuid === last}
          onLeave={() => onLeave(project)}
        />
      ))}
    </div>
  );
}

/** j and k go through the projects, Enter opens one, as links do. */
function useKeys(projects: readonly OwnProject[], onCreate: () => void) {
  const navigate = useNavigate();
  const links = () => [...document.querySelectorAll<HTMLElement>('.project-row .project-row__name a')];
  const step = (by: number) => {
    const all = links();
    const place = all.indexOf(document.activeElement as HTMLElement);
    all[Math.max(0, Math.min(all.length - 1, place + by))]?.focus();
  };
  const nth = (place: number) => {
    const project = projects[place];
    if (project !== undefined)
      void navigate({ to: '/projects/$project/checks/', params: { project: project.uuid } });
  };
  useShortcuts(t.keys.group, [
    { keys: 'j', label: t.keys.next, action: () => step(1) },
    { keys: 'k', label: t.keys.previous, action: () => step(-1) },
    { keys: 'n', label: t.keys.create, action: onCreate },
    { keys: 'a', label: m.shell.allChecks, action: () => void navigate({ to: '/all-checks/' }) },
    ...Array.from({ length: NUMBER_KEYS }, (_, place) => ({
      keys: String(place + 1),
      label: t.keys.nth,
      action: () => nth(place),
    })),
  ]);
}
