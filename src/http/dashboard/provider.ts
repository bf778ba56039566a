import { logProviderFailure, sessionCookie } from '../../acts/new-session.ts';
import { AppError } from '../../domain/errors.ts';
import type { AccountDeps } from '../../services/people/deps.ts';
import {
  type AtProvider,
  type BackFromProvider,
  finishAtProvider,
  openAtProvider,
} from '../../services/sign-up/provider-sign-in.ts';
import { PROVIDER_CALLBACK_PATH, refusedSignInPath, withRefusal } from '../../wire/dashboard/addresses.ts';
import { type Cookies, readCookies } from '../../wire/dashboard/cookies.ts';
import { type Site, sitePath } from '../../wire/site.ts';
import { errorReply } from '../error-map.ts';
import type { Answer } from '../replies.ts';
import type { Route, VisitorRequest } from '../route.ts';
import { dashboardRoute, forVisitors } from './dashboard-route.ts';

/** A link of another site leads here. The state in the address must be that in the browser's cookie. */
export function providerRoutes(deps: AccountDeps, cookies: Cookies, site: Pick<Site, 'root'>): Route[] {
  const back = new WayBack(deps, cookies, site);
  return [dashboardRoute(PROVIDER_CALLBACK_PATH, { GET: forVisitors((request) => back.answer(request)) })];
}

/** Answers the browser that comes back from the provider. It is always sent on, as a person looks at it. */
class WayBack {
  readonly #deps: AccountDeps;
  readonly #cookies: Cookies;
  readonly #prefix: string;

  constructor(deps: AccountDeps, cookies: Cookies, { root }: Pick<Site, 'root'>) {
    this.#deps = deps;
    this.#cookies = cookies;
    this.#prefix = sitePath(root);
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
      logProviderFailure(request.log, error);
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
    return this.#redirect(next, [
      sessionCookie({ settings: this.#deps.settings, cookies: this.#cookies }, made),
      ...device,
    ]);
  }

  #redirect(path: string, cookies: readonly string[]): Answer {
    return {
      status: 303,
      headers: { location: this.#prefix + path },
      cookies: [this.#cookies.notAtProvider(), ...cookies],
    };
  }
}
