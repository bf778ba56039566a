import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import {
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
import { type ReactNode, Suspense } from 'react';
import { m } from '../messages/index.ts';
import { Avatar } from '../ui/avatar.tsx';
import { docsAddress } from '../ui/docs-link.tsx';
import { Glyph } from '../ui/glyph.tsx';
import { Logo, LogoMark } from '../ui/logo.tsx';
import { InsideMain } from '../ui/main-part.tsx';
import { Menu, MenuAnchor, MenuItem, MenuLine, MenuLink } from '../ui/menu.tsx';
import { PersonsTimes } from '../ui/time.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { actOnce } from './act.ts';
import type { Destination } from './destination.ts';
import { Interruptions } from './interruptions.tsx';
import { useLastProject } from './last-project.ts';
import { badgeOf, useBadge, useFavicon } from './live/favicon.ts';
import { useLiveUpdates } from './live/live.ts';
import { LiveRegion, useDownAnnouncement } from './live/live-region.tsx';
import { WatchIndicator, WatchNote } from './live/watch-indicator.tsx';
import { ICON } from './nav-icon.ts';
import { open } from './next.ts';
import { PaletteHost } from './palette/host.tsx';
import { ProjectSwitcher, WHOLE_PLACES, WholeLinks } from './project-switcher.tsx';
import { type Answer, query } from './read.ts';
import { timeStyleOf } from './time-style.ts';
import { useOpenCheck } from './use-open-check.ts';
import type { OwnProject } from './use-project.ts';
import { useTheme } from './use-theme.ts';
import { ViewLinks } from './view-links.tsx';
import { VisitNote } from './visit-note.tsx';
import { FRAME, MAIN, PageSkeleton, useSlowPage, WaitingPage } from './waiting.tsx';

const COUNTED_EVERY_MS = 60_000;

/** The frame around all pages of people who are signed in. Pages of a project have its navigation. */
export function Shell({
  project,
  children,
}: {
  readonly project: string | null;
  readonly children: ReactNode;
}) {
  const { data: account } = useSuspenseQuery(query.account());
  const { data: signedIn } = useSuspenseQuery(query.signedIn());
  // Checks become late by time alone, which no change announces.
  const { data: list } = useSuspenseQuery({ ...query.ownProjects(), refetchInterval: COUNTED_EVERY_MS });
  const slowPage = useSlowPage();
  useTheme(account.theme);
  const current = useCurrent(list.projects, project);
  const own = list.projects.find(({ uuid }) => uuid === project);
  const shown = own === undefined ? list.projects : [own];
  const [down, late] = [sumOf(shown, 'down'), sumOf(shown, 'late')];
  const answered = sumOf(shown, 'held') + sumOf(shown, 'acknowledged');
  useLiveUpdates(signedIn.session.uuid);
  useFavicon({ down, answered, late });
  useBadge(badgeOf(list.projects));
  useLastProject(own?.uuid ?? null);
  useDownAnnouncement(current?.uuid ?? '', down, answered);
  return (
    <PersonsTimes value={timeStyleOf(account)}>
      <a
        href="#content"
        className="sr-only focus-visible:not-sr-only focus-visible:fixed focus-visible:top-2 focus-visible:left-2 focus-visible:z-40 focus-visible:bg-surface focus-visible:px-3 focus-visible:py-2"
      >
        {m.shell.skip}
      </a>
      <div className={FRAME}>
        <SideBar current={current} down={down} />
        <main id="content" tabIndex={-1} className={MAIN}>
          <WatchNote />
          {current !== null && own === undefined && <VisitNote {...current} />}
          {slowPage !== null && <PageSkeleton path={slowPage} />}
          <div className={slowPage === null ? 'contents' : 'hidden'}>
            <InsideMain value={true}>
              <Suspense fallback={<WaitingPage />}>{children}</Suspense>
            </InsideMain>
          </div>
        </main>
        <TabBar current={current} down={down} />
      </div>
      <Toasts />
      <Interruptions />
      <LiveRegion />
      <PaletteHost project={current?.uuid ?? null} />
    </PersonsTimes>
  );
}

/** The project whose pages are open. If it is not the person's own, its checks are not counted. */
type CurrentProject = Pick<OwnProject, 'uuid' | 'name'> & Partial<Pick<OwnProject, 'checks' | 'status'>>;

/** An administrator may be in a project that is not in the list of theirs. */
function useCurrent(projects: readonly OwnProject[], uuid: string | null): CurrentProject | null {
  const own = projects.find((project) => project.uuid === uuid);
  const isForeign = uuid !== null && own === undefined;
  const { data: foreign } = useQuery({ ...query.project({ project: uuid ?? '' }), enabled: isForeign });
  return own ?? (isForeign && foreign !== undefined ? { uuid, name: foreign.name } : null);
}

function sumOf(projects: readonly OwnProject[], status: 'down' | 'held' | 'acknowledged' | 'late'): number {
  return projects.reduce((sum, { checks }) => sum + checks[status], 0);
}

/** The pages of one project. */
export function ProjectLayout() {
  const { project } = useParams({ from: '/signed-in/projects/$project' });
  return (
    <Shell project={project}>
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

type Place = Destination & {
  readonly label: string;
  readonly icon: ReactNode;
  /** The number of checks that are down there. */
  readonly down?: number;
  readonly badge?: ReactNode;
};

/** The places of the navigation, in a project or outside of all. The first three are also tabs on phones. */
function usePlaces(current: CurrentProject | null, down: number): readonly Place[] {
  const uuid = current?.uuid ?? '';
  const { data: counts } = useQuery({ ...query.channelCounts({ project: uuid }), enabled: current !== null });
  const { data: session } = useSuspenseQuery(query.signedIn());
  return current === null
    ? commonPlaces(down, session.account.isAdmin)
    : placesOf(current, channelWarning(counts));
}

function commonPlaces(down: number, isAdmin: boolean): Place[] {
  const instance: Place = { label: m.shell.instance, to: '/admin/', icon: <Shield {...ICON} /> };
  return [
    ...WHOLE_PLACES.map((place) => (place.to === '/all-checks/' ? { ...place, down } : place)),
    { label: m.shell.account, to: '/accounts/profile/', icon: <CircleUser {...ICON} /> },
    ...(isAdmin ? [instance] : []),
  ];
}

/** The trouble of the integrations, in words. */
function channelWarning(counts: Answer<'channelCounts'> | undefined): string | null {
  if (counts === undefined) return null;
  const { total, failing } = counts;
  if (total === 0) return m.shell.noIntegration;
  return failing === 0 ? null : m.shell.failingIntegrations(failing);
}

function placesOf({ uuid, checks }: CurrentProject, warning: string | null): Place[] {
  const params = { project: uuid };
  const warningBadge = warning !== null && (
    <span
      title={warning}
      className="max-md:absolute max-md:top-[7px] max-md:left-[calc(50%+5px)] md:ml-auto md:max-xl:absolute md:max-xl:top-0 md:max-xl:right-0.5"
    >
      <Glyph shape="late" label={warning} className="size-3" />
    </span>
  );
  return [
    {
      label: m.shell.checks,
      to: '/projects/$project/checks/',
      params,
      icon: <List {...ICON} />,
      down: checks?.down ?? 0,
    },
    {
      label: m.shell.timeline,
      to: '/projects/$project/timeline/',
      params,
      icon: <SquareChartGantt {...ICON} />,
    },
    {
      label: m.shell.integrations,
      to: '/projects/$project/integrations/',
      params,
      icon: <Plug {...ICON} />,
      badge: warningBadge,
    },
    { label: m.shell.statusPages, to: '/projects/$project/status-pages/', params, icon: <Globe {...ICON} /> },
    {
      label: m.shell.badges,
      to: '/projects/$project/badges/',
      params,
      icon: <RectangleEllipsis {...ICON} />,
    },
    { label: m.shell.settings, to: '/projects/$project/settings/', params, icon: <Settings {...ICON} /> },
  ];
}

/** The first page is the beginning of every address. */
const activeOptions = (to: string) => ({ exact: to === '/' });

const NAV_LINK =
  'relative flex h-7.5 items-center gap-[9px] rounded-[7px] px-2 font-medium hover:bg-hover max-xl:justify-center max-xl:px-0 [&>svg]:text-ink-3';

const titleOf = (label: string, down: number) => (down === 0 ? label : m.shell.downThere(label, down));

/** The number of checks that are down. Screen readers are told of what. */
function DownCount({ count }: { readonly count: number }) {
  return (
    <>
      {count}
      <span className="sr-only"> {m.shell.areDown}</span>
    </>
  );
}

interface Navigation {
  readonly current: CurrentProject | null;
  /** Checks that are down, in the project or in all. */
  readonly down: number;
}

/** Pages of a check have no address below the list, and yet belong to it. */
function useIsOpen(): (to: string) => boolean {
  const check = useOpenCheck();
  return (to) => check !== undefined && to.endsWith('/checks/');
}

const OPEN_LINK = 'bg-ink/7 text-ink';

function SideBar({ current, down }: Navigation) {
  const places = usePlaces(current, down);
  const isOpen = useIsOpen();
  return (
    <nav
      aria-label={m.shell.main}
      className="sticky top-0 flex h-[calc(100dvh-var(--above,0px))] flex-col gap-0.5 px-2.5 py-3 max-md:hidden"
    >
      <Link to="/" aria-label={m.product} className="px-2 pt-1 pb-3 max-xl:self-center max-xl:px-0">
        <span className="max-xl:hidden">
          <Logo />
        </span>
        <span className="xl:hidden">
          <LogoMark />
        </span>
      </Link>
      <ProjectSwitcher current={current} place="bar" />
      <div className="flex flex-col gap-0.5">
        {places.map(({ label, icon, down: count = 0, badge, ...page }) => (
          <Link
            key={page.to}
            {...page}
            title={titleOf(label, count)}
            activeOptions={activeOptions(page.to)}
            activeProps={{ className: OPEN_LINK }}
            inactiveProps={{ className: isOpen(page.to) ? OPEN_LINK : 'text-ink-2' }}
            className={NAV_LINK}
          >
            {icon}
            <span className="max-xl:sr-only">{label}</span>
            {count > 0 && (
              <span className="ml-auto inline-flex items-center gap-1 text-12 font-semibold text-down max-xl:absolute max-xl:top-0 max-xl:right-0.5">
                <Glyph shape="down" className="size-3" />
                <span className="max-xl:sr-only">
                  <DownCount count={count} />
                </span>
              </span>
            )}
            {badge}
          </Link>
        ))}
      </div>
      {current !== null && <ViewLinks project={current.uuid} />}
      <div className="mt-auto">
        <WatchIndicator />
        <AccountMenu />
      </div>
    </nav>
  );
}

function signOut() {
  void actOnce.signOut().then(() => open('/accounts/login/'));
}

function AccountItems() {
  const { data: session } = useSuspenseQuery(query.signedIn());
  return (
    <>
      <MenuLink to="/accounts/profile/">{m.shell.account}</MenuLink>
      {session.account.isAdmin && (
        <MenuLink to="/admin/" icon={<Shield {...ICON} />}>
          {m.shell.instance}
        </MenuLink>
      )}
      <MenuAnchor href={docsAddress()}>{m.docs.name}</MenuAnchor>
      <MenuLine />
      <MenuItem onSelect={signOut}>{m.shell.signOut}</MenuItem>
    </>
  );
}

function AccountMenu() {
  const { data: session } = useSuspenseQuery(query.signedIn());
  const { email } = session.account;
  return (
    <div className="mt-1 border-t border-line pt-1">
      <Menu
        className="flex w-full items-center gap-2 rounded-control p-1.5 text-left text-12 text-ink-2 hover:bg-hover max-xl:justify-center"
        button={
          <>
            <Avatar email={email} />
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
  'relative grid content-center justify-items-center gap-[3px] text-11 leading-3.5 font-medium [&>svg]:size-5';

/** Places that are tabs on phones. The others are in a menu. */
const TABS = 3;

/** The navigation of phones. */
function TabBar({ current, down }: Navigation) {
  const places = usePlaces(current, down);
  const isOpen = useIsOpen();
  return (
    <nav
      aria-label={m.shell.main}
      className="fixed inset-x-0 bottom-0 z-20 grid h-[calc(64px+env(safe-area-inset-bottom))] auto-cols-fr pb-[env(safe-area-inset-bottom)] grid-flow-col border-t border-line bg-surface md:hidden"
    >
      {places.slice(0, TABS).map(({ label, icon, down: count = 0, badge, ...page }) => (
        <Link
          key={page.to}
          {...page}
          title={titleOf(label, count)}
          activeOptions={activeOptions(page.to)}
          activeProps={{ className: 'text-ink' }}
          inactiveProps={{ className: isOpen(page.to) ? 'text-ink' : 'text-ink-3' }}
          className={TAB}
        >
          {icon}
          {label}
          {count > 0 && (
            <span className="absolute top-[7px] left-[calc(50%+5px)] h-4 min-w-4 rounded-full bg-down-s px-1 text-center text-[10px] leading-4 font-semibold text-white">
              <DownCount count={count} />
            </span>
          )}
          {badge}
        </Link>
      ))}
      <Menu
        className={`${TAB} text-ink-3`}
        button={
          <>
            <Ellipsis {...ICON} />
            {m.shell.more}
          </>
        }
      >
        {current !== null && (
          <>
            {places.slice(TABS).map(({ label, icon, down: _, badge: __, ...page }) => (
              <MenuLink key={page.to} {...page} icon={icon}>
                {label}
              </MenuLink>
            ))}
            <WholeLinks />
            <MenuLine />
          </>
        )}
        <AccountItems />
      </Menu>
    </nav>
  );
}
