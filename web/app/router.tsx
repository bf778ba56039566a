import { type QueryClient, useQueryErrorResetBoundary } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { m } from '../messages/index.ts';
import { ConfirmEmail } from '../pages/confirm-email.tsx';
import { Password } from '../pages/forgotten-password.tsx';
import { Invitation } from '../pages/invitation.tsx';
import { Setup, UseSignInLink } from '../pages/link-pages.tsx';
import { NotFound } from '../pages/not-found.tsx';
import { Projects } from '../pages/projects.tsx';
import { SignIn } from '../pages/sign-in.tsx';
import { SignUp } from '../pages/sign-up.tsx';
import { Button } from '../ui/button.tsx';
import { ApiError, ROOT } from './api.ts';
import { entranceQuery, projectsQuery, sessionQuery } from './queries.ts';

interface Context {
  readonly queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({});

const ENTRANCE_PAGES = {
  '/accounts/login/': SignIn,
  '/accounts/sign-in/': UseSignInLink,
  '/accounts/sign-up/': SignUp,
  '/accounts/password/': Password,
  '/accounts/setup/': Setup,
  '/accounts/email/': ConfirmEmail,
  '/accounts/invitation/': Invitation,
} as const;

const entranceRoutes = Object.entries(ENTRANCE_PAGES).map(([path, component]) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component,
    loader: ({ context }) => context.queries.ensureQueryData(entranceQuery),
  }),
);

/** Pages for people who are signed in. Others are sent to the sign-in, and come back afterwards. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location: { href } }) => {
    const toSignIn = redirect({ to: '/accounts/login/', search: { next: href } });
    const { is_signed_in: isSignedIn, sign_in: ways } = await context.queries.ensureQueryData(entranceQuery);
    if (!isSignedIn && !ways.is_by_proxy) throw toSignIn;
    await context.queries.ensureQueryData(sessionQuery).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'not_signed_in' ? toSignIn : error;
    });
  },
});

const projects = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: Projects,
  loader: ({ context }) => context.queries.ensureQueryData(projectsQuery),
});

export function createPageRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([...entranceRoutes, signedIn.addChildren([projects])]),
    basepath: ROOT === '' ? '/' : ROOT,
    context: { queries },
    trailingSlash: 'always',
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: Failure as ErrorRouteComponent,
  });
}

/** What a page shows that cannot show itself. */
function Failure({ error, reset }: { readonly error: Error; readonly reset: () => void }) {
  const queries = useQueryErrorResetBoundary();
  return (
    <main className="grid min-h-dvh content-center justify-items-center gap-8 px-8 text-center">
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
    </main>
  );
}
