import { AppError } from '../../domain/errors.ts';
import { PROVIDER_SIGN_IN_SECONDS } from '../../domain/people/identity.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import { listIdentities, removeIdentity } from '../../services/accounts/identities.ts';
import {
  type AtProvider,
  type BackFromProvider,
  type BegunAtProvider,
  beginConfirming,
  beginConnecting,
  beginProviderSignIn,
  finishAtProvider,
  openAtProvider,
} from '../../services/accounts/provider-sign-in.ts';
import { findLastWayIn } from '../../services/accounts/ways-in.ts';
import { PROVIDER_CALLBACK_PATH, refusedSignInPath, withRefusal } from '../../wire/dashboard/addresses.ts';
import { type Cookies, readCookies } from '../../wire/dashboard/cookies.ts';
import { identityJson } from '../../wire/dashboard/identity-output.ts';
import { parseNext } from '../../wire/dashboard/provider-input.ts';
import type { Site } from '../../wire/site.ts';
import { errorReply } from '../error-map.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { Route, VisitorRequest } from '../route.ts';
import { dashboardRoute, forPeople, forVisitors } from './dashboard-route.ts';
import { sessionCookie } from './sign-in.ts';

/** Signing in by a provider of OpenID Connect, and what an account has to do with it. */
export function providerRoutes(deps: AccountDeps, cookies: Cookies, site: Pick<Site, 'root'>): Route[] {
  const back = new WayBack(deps, cookies, site);
  return [
    dashboardRoute('/sign-in/provider', {
      POST: forVisitors(async ({ body, log }) =>
        toProvider(cookies, log, () => beginProviderSignIn(deps, parseNext(body).next)),
      ),
    }),
    // A link of another site leads here. The state in the address must be that in the browser's cookie.
    dashboardRoute(PROVIDER_CALLBACK_PATH, { GET: forVisitors((request) => back.answer(request)) }),
    dashboardRoute('/session/confirm/provider', {
      POST: forPeople('account.view', async ({ signedIn, body, log }) =>
        toProvider(cookies, log, () => beginConfirming(deps, signedIn.actor, parseNext(body).next)),
      ),
    }),
    dashboardRoute('/account/identities', {
      GET: forPeople('account.view', async ({ signedIn }) => {
        const identities = await listIdentities(deps, signedIn.actor);
        const { isIdentity } = await findLastWayIn(deps, signedIn.actor);
        return {
          status: 200,
          json: { identities: identities.map(identityJson), is_last_way_in: isIdentity },
        };
      }),
    }),
    dashboardRoute('/account/identities/connect', {
      POST: forPeople('account.secure', async ({ signedIn, body, log }) =>
        toProvider(cookies, log, () => beginConnecting(deps, signedIn.actor, parseNext(body).next)),
      ),
    }),
    dashboardRoute(`/account/identities/:identity(${UUID_PATTERN})`, {
      DELETE: forPeople('account.secure', async ({ signedIn, client, params }) => {
        await removeIdentity(deps, signedIn.actor, client, params.identity ?? '');
        return { status: 204 };
      }),
    }),
  ];
}

type Log = VisitorRequest['log'];

/** The page goes to the address. The cookie comes back with the person. */
async function toProvider(
  cookies: Cookies,
  log: Log,
  begin: () => Promise<BegunAtProvider>,
): Promise<Answer> {
  try {
    const { address, sealed } = await begin();
    return {
      status: 200,
      json: { address },
      cookies: [cookies.atProvider(sealed, PROVIDER_SIGN_IN_SECONDS)],
    };
  } catch (error) {
    logFailure(log, error);
    throw error;
  }
}

/** Answers the browser that comes back from the provider. It is always sent on, as a person looks at it. */
class WayBack {
  readonly #deps: AccountDeps;
  readonly #cookies: Cookies;
  readonly #prefix: string;

  constructor(deps: AccountDeps, cookies: Cookies, { root }: Pick<Site, 'root'>) {
    this.#deps = deps;
    this.#cookies = cookies;
    this.#prefix = new URL(root).pathname.replace(/\/$/, '');
  }

  async answer(request: VisitorRequest): Promise<Answer> {
    const kept = readCookies(request.headers.cookie).get(this.#cookies.atProviderName);
    const begun = kept === undefined ? null : openAtProvider(this.#deps, kept);
    try {
      return this.#sendOn(await this.#finish(request, begun));
    } catch (error) {
      const reply = errorReply(error);
      // Not the person's fault: the database is away.
      if (reply === null || reply.status >= 500) throw error;
      logFailure(request.log, error);
      const path =
        begun === null || begun.errand === 'sign_in'
          ? refusedSignInPath(reply.code)
          : withRefusal(begun.next, reply.code);
      return this.#redirect(path, []);
    }
  }

  #finish({ client, token, query }: VisitorRequest, begun: AtProvider | null): Promise<BackFromProvider> {
    if (begun === null) throw new AppError('sign_in_expired');
    return finishAtProvider(this.#deps, { client, before: token }, begun, query);
  }

  #sendOn({ next, made }: BackFromProvider): Answer {
    if (made === null) return this.#redirect(next, []);
    const device = 'device' in made ? [this.#cookies.device(made.device)] : [];
    return this.#redirect(next, [sessionCookie(this.#deps, this.#cookies, made), ...device]);
  }

  #redirect(path: string, cookies: readonly string[]): Answer {
    return {
      status: 303,
      headers: { location: this.#prefix + path },
      cookies: [this.#cookies.notAtProvider(), ...cookies],
    };
  }
}

/** For the operator: people only learn that it has failed. */
function logFailure(log: Log, error: unknown): void {
  if (!(error instanceof AppError) || !(error.cause instanceof Error)) return;
  log.warn({ event: 'provider.failed', code: error.code, reason: error.cause.message });
}
