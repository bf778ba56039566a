import { type QueryClient, useQueryErrorResetBoundary } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  lazyRouteComponent,
  notFound,
  redirect,
  useParams,
} from '@tanstack/react-router';
import { use } from 'react';
import { m } from '../messages/index.ts';
import { checkQuery } from '../pages/check/queries.ts';
import { NoPermission } from '../pages/no-permission.tsx';
import { NotFound } from '../pages/not-found.tsx';
import { invitationsQuery } from '../pages/projects/heads.ts';
import { Button } from '../ui/button.tsx';
import { InsideMain, MainPart } from '../ui/main-part.tsx';
import { ApiError, ROOT } from './api.ts';
import { accountQuery, entranceQuery, projectQuery, projectsQuery, sessionQuery } from './queries.ts';
import { PlainLayout, ProjectLayout } from './shell.tsx';

interface Context {
  readonly queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({});

/* Each page is a file of its own, which is loaded when the page is opened. */

const ENTRANCE_PAGES = {
  '/accounts/login/': lazyRouteComponent(() => import('../pages/entrance/sign-in.tsx'), 'SignIn'),
  '/accounts/sign-in/': lazyRouteComponent(() => import('../pages/entrance/link-pages.tsx'), 'UseSignInLink'),
  '/accounts/sign-up/': lazyRouteComponent(() => import('../pages/entrance/sign-up.tsx'), 'SignUp'),
  '/accounts/password/': lazyRouteComponent(
    () => import('../pages/entrance/forgotten-password.tsx'),
    'Password',
  ),
  '/accounts/setup/': lazyRouteComponent(() => import('../pages/entrance/link-pages.tsx'), 'Setup'),
  '/accounts/email/': lazyRouteComponent(() => import('../pages/entrance/confirm-email.tsx'), 'ConfirmEmail'),
  '/integrations/$channel/verify/$token/': lazyRouteComponent(
    () => import('../pages/entrance/confirm-recipient.tsx'),
    'ConfirmRecipient',
  ),
  '/accounts/invitation/': lazyRouteComponent(() => import('../pages/entrance/invitation.tsx'), 'Invitation'),
} as const;

/** Pages that belong to no project. */
const PLAIN_PAGES = {
  '/': lazyRouteComponent(() => import('../pages/projects/projects.tsx'), 'Projects'),
  '/all-checks/': lazyRouteComponent(() => import('../pages/projects/all-checks.tsx'), 'AllChecks'),
  '/admin/': lazyRouteComponent(() => import('../pages/admin/health.tsx'), 'Health'),
  '/admin/settings/': lazyRouteComponent(() => import('../pages/admin/settings.tsx'), 'Settings'),
  '/admin/accounts/': lazyRouteComponent(() => import('../pages/admin/accounts.tsx'), 'Accounts'),
  '/admin/projects/': lazyRouteComponent(() => import('../pages/admin/projects.tsx'), 'AllProjects'),
  '/accounts/profile/': lazyRouteComponent(() => import('../pages/account/security.tsx'), 'Security'),
  '/accounts/profile/sessions/': lazyRouteComponent(
    () => import('../pages/account/sessions.tsx'),
    'Sessions',
  ),
  '/accounts/profile/tokens/': lazyRouteComponent(() => import('../pages/account/tokens.tsx'), 'Tokens'),
  '/accounts/profile/look/': lazyRouteComponent(() => import('../pages/account/look.tsx'), 'Look'),
  '/accounts/profile/reports/': lazyRouteComponent(() => import('../pages/account/reports.tsx'), 'Reports'),
  '/accounts/profile/log/': lazyRouteComponent(() => import('../pages/account/log.tsx'), 'OwnLog'),
  '/accounts/profile/close/': lazyRouteComponent(() => import('../pages/account/close.tsx'), 'Close'),
  '/integrations/$way/': lazyRouteComponent(() => import('../pages/integrations/connect.tsx'), 'Connect'),
  '/components/': lazyRouteComponent(() => import('../pages/components/components.tsx'), 'Components'),
} as const;

/** Pages of one project, below `/projects/<uuid>`. */
const PROJECT_PAGES = {
  '/checks/': lazyRouteComponent(() => import('../pages/checks/checks.tsx'), 'Checks'),
  '/integrations/{-$channel}/': lazyRouteComponent(
    () => import('../pages/integrations/integrations.tsx'),
    'Integrations',
  ),
  '/integrations/new/$kind/': lazyRouteComponent(() => import('../pages/integrations/set-up.tsx'), 'SetUp'),
  '/badges/': lazyRouteComponent(() => import('../pages/badges/badges.tsx'), 'Badges'),
  '/status-pages/': lazyRouteComponent(() => import('../pages/status-pages/status-pages.tsx'), 'StatusPages'),
  '/status-pages/$page/': lazyRouteComponent(
    () => import('../pages/status-pages/status-page.tsx'),
    'StatusPage',
  ),
  '/timeline/': lazyRouteComponent(() => import('../pages/timeline/timeline.tsx'), 'Timeline'),
  '/checks/new/': lazyRouteComponent(() => import('../pages/check-editor/editor-pages.tsx'), 'AddCheck'),
  '/settings/': lazyRouteComponent(() => import('../pages/settings/general.tsx'), 'General'),
  '/settings/keys/': lazyRouteComponent(() => import('../pages/settings/keys.tsx'), 'Keys'),
  '/settings/team/': lazyRouteComponent(() => import('../pages/settings/team.tsx'), 'Team'),
  '/settings/audit-log/': lazyRouteComponent(() => import('../pages/settings/audit-log.tsx'), 'AuditLog'),
  '/settings/danger/': lazyRouteComponent(() => import('../pages/settings/danger.tsx'), 'Danger'),
} as const;

/** Pages of one check, below `/checks/<uuid or unique key>`. */
const CHECK_PAGES = {
  '/details/': lazyRouteComponent(() => import('../pages/check/check-page.tsx'), 'CheckPage'),
  '/log/': lazyRouteComponent(() => import('../pages/check/log-page.tsx'), 'LogPage'),
} as const;

const entranceRoutes = Object.entries(ENTRANCE_PAGES).map(([path, component]) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component,
    loader: ({ context }) => context.queries.ensureQueryData(entranceQuery),
  }),
);

/** A display for a wall. Its address is its key. */
const wall = createRoute({
  getParentRoute: () => root,
  path: '/wall/$token/',
  component: lazyRouteComponent(() => import('../pages/wall/wall.tsx'), 'Wall'),
});

const REQUIRED_FACTOR = '/accounts/second-factor/';

/** Where everybody needs a second factor. It has no frame, since the frame needs projects. */
const requiredFactor = createRoute({
  getParentRoute: () => root,
  path: REQUIRED_FACTOR,
  component: lazyRouteComponent(() => import('../pages/account/required-factor.tsx'), 'RequiredFactor'),
  loader: ({ context }) =>
    Promise.all([
      context.queries.ensureQueryData(entranceQuery),
      context.queries.ensureQueryData(sessionQuery),
      context.queries.ensureQueryData(accountQuery),
    ]),
});

/** Pages for people who are signed in. Others are sent to the sign-in, and come back afterwards. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location: { href } }) => {
    const toSignIn = redirect({ to: '/accounts/login/', search: { next: href } });
    const { is_signed_in: isSignedIn, sign_in: ways } = await context.queries.ensureQueryData(entranceQuery);
    if (!isSignedIn && !ways.is_by_proxy) throw toSignIn;
    const { session } = await context.queries.ensureQueryData(sessionQuery).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'not_signed_in' ? toSignIn : error;
    });
    // Everything else is refused until then.
    if (session.needs_second_factor) throw redirect({ to: REQUIRED_FACTOR });
  },
  loader: ({ context }) =>
    Promise.all([
      context.queries.ensureQueryData(accountQuery),
      context.queries.ensureQueryData(projectsQuery),
    ]),
});

/** The editor of a check finds the project of the check itself. */
const editCheck = createRoute({
  getParentRoute: () => signedIn,
  path: '/checks/$check/edit/',
  component: lazyRouteComponent(() => import('../pages/check-editor/editor-pages.tsx'), 'EditCheck'),
});

const plain = createRoute({ getParentRoute: () => signedIn, id: 'plain', component: PlainLayout });
const plainRoutes = Object.entries(PLAIN_PAGES).map(([path, component]) =>
  createRoute({
    getParentRoute: () => plain,
    path,
    component,
    ...(path === '/' && { beforeLoad: openOnlyProject }),
  }),
);

const check = createRoute({
  getParentRoute: () => signedIn,
  path: '/checks/$check',
  component: lazyRouteComponent(() => import('../pages/check/check-layout.tsx'), 'CheckLayout'),
  loader: ({ context, params }) =>
    context.queries.ensureQueryData(checkQuery(params.check)).catch(orNotFound),
});
const checkRoutes = Object.entries(CHECK_PAGES).map(([path, component]) =>
  createRoute({ getParentRoute: () => check, path, component }),
);

const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$project',
  component: ProjectLayout,
  loader: ({ context, params }) =>
    context.queries.ensureQueryData(projectQuery(params.project)).catch(orNotFound),
});
const projectRoutes = Object.entries(PROJECT_PAGES).map(([path, component]) =>
  createRoute({ getParentRoute: () => project, path, component }),
);

/** Whether a page was shown since the browser has loaded the site. */
let hasShownPage = false;

/**
 * Whoever has one project, and nothing else to decide, begins with its checks. Whoever comes from another page wants to
 * see the list of projects.
 */
async function openOnlyProject({ context: { queries } }: { readonly context: Context }): Promise<void> {
  if (hasShownPage) return;
  const { projects, deleted } = await queries.ensureQueryData(projectsQuery);
  const [only] = projects;
  const isAlone = projects.length === 1 && deleted.length === 0 && only?.offer?.is_yours !== true;
  if (only === undefined || !isAlone) return;
  const { invitations } = await queries.ensureQueryData(invitationsQuery);
  if (invitations.length === 0) throw redirect({ to: `/projects/${only.uuid}/checks/` });
}

export function createPageRouter(queries: QueryClient) {
  const router = createRouter({
    routeTree: root.addChildren([
      ...entranceRoutes,
      wall,
      requiredFactor,
      signedIn.addChildren([
        plain.addChildren(plainRoutes),
        project.addChildren(projectRoutes),
        check.addChildren(checkRoutes),
        editCheck,
      ]),
    ]),
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

const isMissing = (error: unknown) => error instanceof ApiError && (error.code ?? '').endsWith('not_found');

/** What is missing has a page of its own. */
function orNotFound(error: unknown): never {
  throw isMissing(error) ? notFound() : error;
}

/** What a page shows that cannot show itself. What is missing and what belongs to others look the same. */
function Failure({ error, reset }: { readonly error: Error; readonly reset: () => void }) {
  const queries = useQueryErrorResetBoundary();
  const { project } = useParams({ strict: false });
  const isInside = use(InsideMain);
  if (isMissing(error)) return <NotFound />;
  if (isInside && error instanceof ApiError && error.code === 'permission_denied')
    return <NoPermission project={project} />;
  return (
    <MainPart>
      <p role="alert" className="text-14">
        {error.message}
      </p>
      <Button
        onClick={() => {
          queries.reset();
          reset();
        }}
      >
        {m.errors.retry}
      </Button>
    </MainPart>
  );
}
