import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  lazyRouteComponent,
  notFound,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { LogSearch } from '../pages/check/log-page.tsx';
import { pingQuery } from '../pages/check/queries.ts';
import type { ListSearch } from '../pages/checks/view.ts';
import { NotFound } from '../pages/not-found.tsx';
import type { AuditLogSearch } from '../pages/settings/audit-log.tsx';
import type { TimelineSearch } from '../pages/timeline/timeline.tsx';
import { ApiError, ROOT } from './api.ts';
import { DEMO_KEY, DemoPage } from './demo.tsx';
import { Failure, isMissing } from './failure.tsx';
import { query } from './read.ts';
import { PlainLayout, ProjectLayout } from './shell.tsx';
import { MOMENT_MS } from './waiting.tsx';

interface Context {
  readonly queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()(DEMO_KEY === null ? {} : { component: DemoPage });

/** The type of an address's query. The page reads the values: nothing corrects an address. */
const search =
  <Search extends object>() =>
  (values: Search): Search =>
    values;

/** The query of pages before the one that the person wants. */
interface ForNext {
  readonly next?: string;
}

/** Each page is a file of its own, which is loaded when the page is opened. */
const page = <
  Parent extends AnyRoute,
  const Path extends string,
  const Name extends string,
  Search extends object,
>(
  parent: Parent,
  path: Path,
  load: () => Promise<Readonly<Record<Name, RouteComponent>>>,
  name: Name,
  validateSearch = search<Search>(),
) =>
  createRoute({
    getParentRoute: () => parent,
    path,
    component: lazyRouteComponent(load, name),
    validateSearch,
  });

/** Pages for people who need not be signed in. */
const entrance = createRoute({
  getParentRoute: () => root,
  id: 'entrance',
  loader: ({ context }) => context.queries.ensureQueryData(query.entrance()),
});

/** The page for people who must set up a second factor. It has no frame, since the frame needs projects. */
const requiredFactor = createRoute({
  getParentRoute: () => root,
  path: '/accounts/second-factor',
  validateSearch: search<ForNext>(),
  component: lazyRouteComponent(() => import('../pages/account/required-factor.tsx'), 'RequiredFactor'),
  loader: ({ context }) =>
    Promise.all([
      context.queries.ensureQueryData(query.entrance()),
      context.queries.ensureQueryData(query.signedIn()),
      context.queries.ensureQueryData(query.account()),
    ]),
});

/** Pages for people who are signed in. Others are sent to the sign-in, and come back afterwards. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location: { href } }) => {
    const toSignIn = redirect({ to: '/accounts/login/', search: { next: href } });
    const { isSignedIn, signIn: ways } = await context.queries.ensureQueryData(query.entrance());
    if (!isSignedIn && !ways.isByProxy) throw toSignIn;
    const { session } = await context.queries.ensureQueryData(query.signedIn()).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'not_signed_in' ? toSignIn : error;
    });
    // Everything else is refused until then.
    if (session.needsSecondFactor) throw redirect({ to: '/accounts/second-factor/', search: { next: href } });
  },
  loader: ({ context }) =>
    Promise.all([
      context.queries.ensureQueryData(query.account()),
      context.queries.ensureQueryData(query.ownProjects()),
    ]),
});

const plain = createRoute({ getParentRoute: () => signedIn, id: 'plain', component: PlainLayout });
const projects = createRoute({
  getParentRoute: () => plain,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/projects/projects.tsx'), 'Projects'),
  beforeLoad: openOnlyProject,
});

/** Samples of all components, for their developers. */
const samples = import.meta.env.DEV
  ? [page(plain, '/components', () => import('../pages/components/components.tsx'), 'Components')]
  : [];

const check = createRoute({
  getParentRoute: () => signedIn,
  path: '/checks/$check',
  component: lazyRouteComponent(() => import('../pages/check/check-layout.tsx'), 'CheckLayout'),
  loader: async ({ context: { queries }, params }) => {
    const { status, output } = await queries
      .ensureQueryData(query.checkPage({ check: params.check }))
      .catch(orNotFound);
    // It stands above most of the page. If it comes too, nothing moves; if it takes long, the rest is there without it.
    if (status === 'down' && output !== null)
      await Promise.race([
        queries.prefetchQuery(pingQuery(params.check, output)),
        new Promise((resolve) => setTimeout(resolve, MOMENT_MS)),
      ]);
  },
});

const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$project',
  component: ProjectLayout,
  loader: ({ context, params }) =>
    context.queries.ensureQueryData(query.project({ project: params.project })).catch(orNotFound),
});

/** Whether a page was shown since the browser has loaded the site. */
let hasShownPage = false;

/**
 * A person with one project, and nothing else to decide, begins with its checks. Coming from another page, they want to
 * see the list of projects.
 */
async function openOnlyProject({ context: { queries } }: { readonly context: Context }): Promise<void> {
  if (hasShownPage) return;
  const { projects, deleted } = await queries.ensureQueryData(query.ownProjects());
  const [only] = projects;
  const isAlone = projects.length === 1 && deleted.length === 0 && only?.offer?.isYours !== true;
  if (only === undefined || !isAlone) return;
  const invitations = await queries.ensureQueryData(query.ownInvitations());
  if (invitations.length === 0)
    throw redirect({ to: '/projects/$project/checks/', params: { project: only.uuid } });
}

const integrations = page(
  project,
  '/integrations',
  () => import('../pages/integrations/integrations.tsx'),
  'Integrations',
);
/** The page of integrations shows the one that its address names. */
const openChannel = createRoute({ getParentRoute: () => integrations, path: '/$channel' });

const routeTree = root.addChildren([
  entrance.addChildren([
    page(
      entrance,
      '/accounts/login',
      () => import('../pages/entrance/sign-in.tsx'),
      'SignIn',
      search<ForNext>(),
    ),
    page(entrance, '/accounts/sign-in', () => import('../pages/entrance/link-pages.tsx'), 'UseSignInLink'),
    page(
      entrance,
      '/accounts/sign-up',
      () => import('../pages/entrance/sign-up.tsx'),
      'SignUp',
      search<ForNext>(),
    ),
    page(
      entrance,
      '/accounts/password',
      () => import('../pages/entrance/forgotten-password.tsx'),
      'Password',
      search<ForNext>(),
    ),
    page(entrance, '/accounts/setup', () => import('../pages/entrance/link-pages.tsx'), 'Setup'),
    page(entrance, '/accounts/email', () => import('../pages/entrance/confirm-email.tsx'), 'ConfirmEmail'),
    page(
      entrance,
      '/integrations/$channel/verify/$token',
      () => import('../pages/entrance/confirm-recipient.tsx'),
      'ConfirmRecipient',
    ),
    page(entrance, '/accounts/invitation', () => import('../pages/entrance/invitation.tsx'), 'Invitation'),
  ]),
  // A display for a wall. Its address is its key.
  page(root, '/wall/$token', () => import('../pages/wall/wall.tsx'), 'Wall'),
  requiredFactor,
  signedIn.addChildren([
    plain.addChildren([
      projects,
      page(
        plain,
        '/all-checks',
        () => import('../pages/projects/all-checks.tsx'),
        'AllChecks',
        search<ListSearch>(),
      ),
      page(plain, '/admin', () => import('../pages/admin/health.tsx'), 'Health'),
      page(plain, '/admin/settings', () => import('../pages/admin/settings.tsx'), 'Settings'),
      page(plain, '/admin/accounts', () => import('../pages/admin/accounts.tsx'), 'Accounts'),
      page(plain, '/admin/projects', () => import('../pages/admin/projects.tsx'), 'AllProjects'),
      page(plain, '/accounts/profile', () => import('../pages/account/security.tsx'), 'Security'),
      page(plain, '/accounts/profile/sessions', () => import('../pages/account/sessions.tsx'), 'Sessions'),
      page(plain, '/accounts/profile/tokens', () => import('../pages/account/tokens.tsx'), 'Tokens'),
      page(plain, '/accounts/profile/look', () => import('../pages/account/look.tsx'), 'Look'),
      page(plain, '/accounts/profile/reports', () => import('../pages/account/reports.tsx'), 'Reports'),
      page(plain, '/accounts/profile/log', () => import('../pages/account/log.tsx'), 'OwnLog'),
      page(plain, '/accounts/profile/close', () => import('../pages/account/close.tsx'), 'Close'),
      page(plain, '/integrations/$way', () => import('../pages/integrations/connect.tsx'), 'Connect'),
      ...samples,
    ]),
    project.addChildren([
      page(project, '/checks', () => import('../pages/checks/checks.tsx'), 'Checks', search<ListSearch>()),
      integrations.addChildren([openChannel]),
      page(project, '/integrations/new/$kind', () => import('../pages/integrations/set-up.tsx'), 'SetUp'),
      page(project, '/badges', () => import('../pages/badges/badges.tsx'), 'Badges'),
      page(project, '/status-pages', () => import('../pages/status-pages/status-pages.tsx'), 'StatusPages'),
      page(
        project,
        '/status-pages/$page',
        () => import('../pages/status-pages/status-page.tsx'),
        'StatusPage',
      ),
      page(
        project,
        '/timeline',
        () => import('../pages/timeline/timeline.tsx'),
        'Timeline',
        search<TimelineSearch>(),
      ),
      page(
        project,
        '/checks/new',
        () => import('../pages/check-editor/editor-pages.tsx'),
        'AddCheck',
        search<{ readonly tag?: unknown }>(),
      ),
      page(project, '/checks/import', () => import('../pages/crontab/crontab.tsx'), 'ImportCrontab'),
      page(project, '/settings', () => import('../pages/settings/general.tsx'), 'General'),
      page(project, '/settings/alerts', () => import('../pages/settings/alerts.tsx'), 'Alerts'),
      page(project, '/settings/keys', () => import('../pages/settings/keys.tsx'), 'Keys'),
      page(project, '/settings/team', () => import('../pages/settings/team.tsx'), 'Team'),
      page(
        project,
        '/settings/audit-log',
        () => import('../pages/settings/audit-log.tsx'),
        'AuditLog',
        search<AuditLogSearch>(),
      ),
      page(
        project,
        '/settings/deleted-checks',
        () => import('../pages/settings/deleted-checks.tsx'),
        'DeletedChecks',
      ),
      page(project, '/settings/danger', () => import('../pages/settings/danger.tsx'), 'Danger'),
    ]),
    check.addChildren([
      page(check, '/details', () => import('../pages/check/check-page.tsx'), 'CheckPage'),
      page(check, '/log', () => import('../pages/check/log-page.tsx'), 'LogPage', search<LogSearch>()),
    ]),
    // The editor of a check finds the project of the check itself.
    page(
      signedIn,
      '/checks/$check/edit',
      () => import('../pages/check-editor/editor-pages.tsx'),
      'EditCheck',
    ),
  ]),
]);

export function createPageRouter(queries: QueryClient) {
  const router = createRouter({
    routeTree,
    basepath: ROOT === '' ? '/' : ROOT,
    context: { queries },
    trailingSlash: 'always',
    scrollRestoration: true,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: Failure as ErrorRouteComponent,
  });
  router.subscribe('onResolved', () => {
    hasShownPage = true;
  });
  return router;
}

export type PageRouter = ReturnType<typeof createPageRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: PageRouter;
  }
}

/** Missing data has a page of its own. */
function orNotFound(error: unknown): never {
  throw isMissing(error) ? notFound() : error;
}
