import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import {
  ChevronsUpDown,
  CircleUser,
  Ellipsis,
  Globe,
  List,
  Plug,
  RectangleEllipsis,
  Settings,
  Shield,
  SquareChartGantt,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { ChannelCountsJson } from '../../src/wire/dashboard/channel-output.ts';
import type { ListedProjectJson } from '../../src/wire/dashboard/project-output.ts';
import { m } from '../messages/index.ts';
import { Glyph } from '../ui/glyph.tsx';
import { Logo, LogoMark } from '../ui/logo.tsx';
import { Menu, MenuItem, MenuLine, MenuLink } from '../ui/menu.tsx';
import { PersonsTimes } from '../ui/time.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { post } from './api.ts';
import { Interruptions } from './interruptions.tsx';
import { useFavicon } from './live/favicon.ts';
import { useLiveUpdates } from './live/live.ts';
import { LiveRegion, useDownAnnouncement } from './live/live-region.tsx';
import { WatchIndicator, WatchNote } from './live/watch-indicator.tsx';
import { open } from './next.ts';
import { PaletteHost } from './palette/host.tsx';
import { accountQuery, channelCountsQuery, projectsQuery, sessionQuery } from './queries.ts';
import { timeStyleOf } from './time-style.ts';
import { useTheme } from './use-theme.ts';

/** The frame around all pages of people who are signed in. Pages of a project have its navigation. */
export function Shell({
  project,
  children,
}: {
  readonly project: string | null;
  readonly children: ReactNode;
}) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: list } = useSuspenseQuery(projectsQuery);
  useTheme(account.theme);
  const current = list.projects.find(({ uuid }) => uuid === project) ?? null;
  const shown = current === null ? list.projects : [current];
  const [down, late] = [sumOf(shown, 'down'), sumOf(shown, 'late')];
  useLiveUpdates();
  useFavicon({ down, late });
  useDownAnnouncement(current?.uuid ?? '', down);
  return (
    <PersonsTimes value={timeStyleOf(account)}>
      <a
        href="#content"
        className="sr-only focus-visible:not-sr-only focus-visible:fixed focus-visible:top-4 focus-visible:left-4 focus-visible:z-40 focus-visible:bg-surface focus-visible:px-6 focus-visible:py-4"
      >
        {m.shell.skip}
      </a>
      <div className="min-h-dvh md:grid md:grid-cols-[60px_minmax(0,1fr)] xl:grid-cols-[212px_minmax(0,1fr)]">
        <SideBar projects={list.projects} current={current} />
        <main
          id="content"
          tabIndex={-1}
          className="min-w-0 bg-surface outline-none max-md:min-h-[calc(100dvh-64px)] max-md:pb-32 md:my-4 md:mr-4 md:rounded-card md:border md:border-line md:shadow-1"
        >
          <WatchNote />
          {children}
        </main>
        <TabBar current={current} />
      </div>
      <Toasts />
      <Interruptions />
      <LiveRegion />
      <PaletteHost project={current?.uuid ?? null} />
    </PersonsTimes>
  );
}

function sumOf(projects: readonly ListedProjectJson[], status: 'down' | 'late'): number {
  return projects.reduce((sum, { checks }) => sum + checks[status], 0);
}

/** The pages of one project. */
export function ProjectLayout() {
  const { project } = useParams({ strict: false });
  return (
    <Shell project={project ?? null}>
      <Outlet />
    </Shell>
  );
}

/** Pages that belong to no project. */
export function PlainLayout() {
  return (
    <Shell project={null}>
      <Outlet />
    </Shell>
  );
}

const ICON = { className: 'size-8 flex-none', strokeWidth: 1.5, 'aria-hidden': true } as const;

interface Place {
  readonly label: string;
  readonly to: string;
  readonly icon: ReactNode;
  readonly badge?: ReactNode;
}

/** Where one can go in a project. The first three are also tabs on phones. */
function usePlaces(current: ListedProjectJson | null): Place[] {
  const uuid = current?.uuid ?? '';
  const { data: counts } = useQuery({ ...channelCountsQuery(uuid), enabled: current !== null });
  return current === null ? [] : placesOf(current, channelWarning(counts));
}

/** What is wrong with the integrations, in words. */
function channelWarning(counts: ChannelCountsJson | undefined): string | null {
  if (counts === undefined) return null;
  const { total, failing } = counts;
  if (total === 0) return m.integrations.badge.none;
  return failing === 0 ? null : m.integrations.badge.failing(failing);
}

function placesOf({ uuid, checks }: ListedProjectJson, warning: string | null): Place[] {
  const base = `/projects/${uuid}`;
  const downBadge = checks.down > 0 && (
    <span className="ml-auto inline-flex items-center gap-2 text-12 font-semibold text-down max-xl:absolute max-xl:top-0 max-xl:right-1">
      <Glyph shape="down" label={m.statuses.down} className="size-6" />
      <span className="max-xl:hidden">{checks.down}</span>
    </span>
  );
  const warningBadge = warning !== null && (
    <span
      title={warning}
      className="max-md:absolute max-md:top-[7px] max-md:left-[calc(50%+5px)] md:ml-auto md:max-xl:absolute md:max-xl:top-0 md:max-xl:right-1"
    >
      <Glyph shape="late" label={warning} className="size-6" />
    </span>
  );
  return [
    { label: m.shell.checks, to: `${base}/checks/`, icon: <List {...ICON} />, badge: downBadge },
    { label: m.shell.timeline, to: `${base}/timeline/`, icon: <SquareChartGantt {...ICON} /> },
    {
      label: m.shell.integrations,
      to: `${base}/integrations/`,
      icon: <Plug {...ICON} />,
      badge: warningBadge,
    },
    { label: m.shell.statusPages, to: `${base}/status-pages/`, icon: <Globe {...ICON} /> },
    { label: m.shell.badges, to: `${base}/badges/`, icon: <RectangleEllipsis {...ICON} /> },
    { label: m.shell.settings, to: `${base}/settings/`, icon: <Settings {...ICON} /> },
  ];
}

const NAV_LINK =
  'relative flex h-15 items-center gap-[9px] rounded-[7px] px-4 font-medium hover:bg-hover max-xl:justify-center max-xl:px-0 [&>svg]:text-ink-3';

function SideBar({
  projects,
  current,
}: {
  readonly projects: readonly ListedProjectJson[];
  readonly current: ListedProjectJson | null;
}) {
  const places = usePlaces(current);
  return (
    <nav aria-label={m.shell.main} className="sticky top-0 flex h-dvh flex-col gap-1 px-5 py-6 max-md:hidden">
      <Link to="/" aria-label={m.product} className="px-4 pt-2 pb-6 max-xl:self-center max-xl:px-0">
        <span className="max-xl:hidden">
          <Logo />
        </span>
        <span className="xl:hidden">
          <LogoMark />
        </span>
      </Link>
      <ProjectSwitcher projects={projects} current={current} />
      {current !== null && (
        <div className="flex flex-col gap-1">
          {places.map(({ label, to, icon, badge }) => (
            <Link
              key={to}
              to={to}
              title={label}
              activeProps={{ className: 'bg-ink/7 text-ink' }}
              inactiveProps={{ className: 'text-ink-2' }}
              className={NAV_LINK}
            >
              {icon}
              <span className="max-xl:sr-only">{label}</span>
              {badge}
            </Link>
          ))}
        </div>
      )}
      <div className="mt-auto">
        <WatchIndicator />
        <AccountMenu />
      </div>
    </nav>
  );
}

/** The status of a project in one shape. */
function ProjectGlyph({ project }: { readonly project: ListedProjectJson }) {
  return <Glyph shape={project.status} label={m.statuses[project.status]} className="size-7" />;
}

function ProjectSwitcher({
  projects,
  current,
}: {
  readonly projects: readonly ListedProjectJson[];
  readonly current: ListedProjectJson | null;
}) {
  return (
    <Menu
      className="mb-5 flex w-full items-center gap-4 rounded-control border border-line-2 bg-surface px-4 py-3 text-left font-medium shadow-1 max-xl:h-17 max-xl:justify-center"
      button={
        <>
          {current !== null && <ProjectGlyph project={current} />}
          <span className="min-w-0 flex-1 truncate max-xl:sr-only">
            {current?.name ?? m.shell.allProjects}
          </span>
          <ChevronsUpDown
            className="size-8 flex-none text-ink-3 max-xl:hidden"
            strokeWidth={1.5}
            aria-hidden="true"
          />
        </>
      }
    >
      <ProjectLinks projects={projects} />
    </Menu>
  );
}

function ProjectLinks({ projects }: { readonly projects: readonly ListedProjectJson[] }) {
  return (
    <>
      <MenuLink to="/">{m.shell.allProjects}</MenuLink>
      <MenuLine />
      {projects.map((project) => (
        <MenuLink
          key={project.uuid}
          to={`/projects/${project.uuid}/checks/`}
          icon={<ProjectGlyph project={project} />}
        >
          <span className="truncate">{project.name}</span>
        </MenuLink>
      ))}
    </>
  );
}

function signOut() {
  void post('/sign-out').then(() => open('/accounts/login/'));
}

function AccountItems() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  return (
    <>
      <MenuLink to="/accounts/profile/">{m.shell.account}</MenuLink>
      {session.account.is_admin && (
        <MenuLink to="/admin/" icon={<Shield {...ICON} />}>
          {m.shell.instance}
        </MenuLink>
      )}
      <MenuLine />
      <MenuItem onSelect={signOut}>{m.shell.signOut}</MenuItem>
    </>
  );
}

function AccountMenu() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { email } = session.account;
  return (
    <div className="mt-2 border-t border-line pt-2">
      <Menu
        className="flex w-full items-center gap-4 rounded-control p-3 text-left text-12 text-ink-2 hover:bg-hover max-xl:justify-center"
        button={
          <>
            <span
              aria-hidden="true"
              className="grid size-12 flex-none place-items-center rounded-full bg-quiet-t text-[10px] font-semibold text-ink-2"
            >
              {email.slice(0, 2).toUpperCase()}
            </span>
            <span className="truncate max-xl:sr-only">{email}</span>
          </>
        }
      >
        <AccountItems />
      </Menu>
    </div>
  );
}

const TAB =
  'relative grid content-center justify-items-center gap-[3px] text-11 leading-7 font-medium [&>svg]:size-10';

/** The navigation of phones. */
function TabBar({ current }: { readonly current: ListedProjectJson | null }) {
  const places = usePlaces(current);
  return (
    <nav
      aria-label={m.shell.main}
      className="fixed inset-x-0 bottom-0 z-20 grid h-32 auto-cols-fr grid-flow-col border-t border-line bg-surface md:hidden"
    >
      {current === null && (
        <Link
          to="/"
          activeProps={{ className: 'text-ink' }}
          inactiveProps={{ className: 'text-ink-3' }}
          className={TAB}
        >
          <List {...ICON} />
          {m.shell.projects}
        </Link>
      )}
      {places.slice(0, 3).map(({ label, to, icon, badge }, place) => (
        <Link
          key={to}
          to={to}
          activeProps={{ className: 'text-ink' }}
          inactiveProps={{ className: 'text-ink-3' }}
          className={TAB}
        >
          {icon}
          {place === 0 && current !== null && current.checks.down > 0 && (
            <span className="absolute top-[7px] left-[calc(50%+5px)] h-8 min-w-8 rounded-full bg-down-s px-2 text-center text-[10px] leading-8 font-semibold text-white">
              {current.checks.down}
              <span className="sr-only"> {m.statuses.down}</span>
            </span>
          )}
          {place > 0 && badge}
          {label}
        </Link>
      ))}
      <Menu
        className={`${TAB} text-ink-3`}
        button={
          <>
            {current === null ? <CircleUser {...ICON} /> : <Ellipsis {...ICON} />}
            {m.shell.more}
          </>
        }
      >
        {places.slice(3).map(({ label, to, icon }) => (
          <MenuLink key={to} to={to} icon={icon}>
            {label}
          </MenuLink>
        ))}
        {current !== null && (
          <>
            <MenuLink to="/">{m.shell.allProjects}</MenuLink>
            <MenuLine />
          </>
        )}
        <AccountItems />
      </Menu>
    </nav>
  );
}
