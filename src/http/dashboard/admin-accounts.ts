import type { Account } from '../../domain/people/account.ts';
import { administratorOn } from '../../services/accounts/account-actor.ts';
import {
  createAccount,
  deleteAccount,
  endAllSessions,
  findAccountByUuid,
  offerPassword,
  removeSecondFactors,
  setAccountLimits,
  setActive,
  setAdmin,
} from '../../services/accounts/administration.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import { parseNewEmail } from '../../wire/dashboard/account-input.ts';
import { linkAddress } from '../../wire/dashboard/addresses.ts';
import { parseLimits, parseNewAccount, parseSearch } from '../../wire/dashboard/admin-input.ts';
import { adminAccountJson } from '../../wire/dashboard/admin-output.ts';
import type { Site } from '../../wire/site.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { Route, SessionOperation, SessionRequest } from '../route.ts';
import { dashboardRoute, forPeople } from './dashboard-route.ts';

const ACCOUNT = `/admin/accounts/:account(${UUID_PATTERN})`;

/** Accounts of others, for administrators. */
export function adminAccountRoutes(deps: AccountDeps, site: Pick<Site, 'root'>): Route[] {
  const found = ({ signedIn, params }: SessionRequest) =>
    findAccountByUuid(deps, signedIn.actor, params.account ?? '');
  const passwordLink = async ({ signedIn }: SessionRequest, account: Account) =>
    linkAddress(site.root, 'set_password', await offerPassword(deps, signedIn.actor, account));
  /** Something that is done to one account. */
  const acts = (
    handle: (request: SessionRequest, account: Account) => Promise<Answer>,
  ): Record<'POST', SessionOperation> => ({
    POST: forPeople('instance.administer', async (request) => handle(request, await found(request))),
  });
  const done = { status: 204 };
  return [
    dashboardRoute('/admin/accounts', {
      GET: forPeople('instance.view', async ({ signedIn, query }) => {
        const search = parseSearch(query);
        const { pieces } = await deps.reads.ask({ kind: 'account_search', person: signedIn.actor, search });
        return { status: 200, pieces };
      }),
      POST: forPeople('instance.administer', async (request) => {
        const input = parseNewAccount(request.body);
        const account = await createAccount(deps, request.signedIn.actor, input);
        const link = input.password === null ? await passwordLink(request, account) : null;
        return { status: 201, json: { account: adminAccountJson(account), link } };
      }),
    }),
    dashboardRoute(ACCOUNT, {
      GET: forPeople('instance.view', async (request) => ({
        status: 200,
        json: adminAccountJson(await found(request)),
      })),
    }),
    dashboardRoute(
      `${ACCOUNT}/password-link`,
      acts(async (request, account) => ({
        status: 200,
        json: { link: await passwordLink(request, account) },
      })),
    ),
    dashboardRoute(
      `${ACCOUNT}/limits`,
      acts(async ({ signedIn, body }, account) => ({
        status: 200,
        json: await setAccountLimits(deps, signedIn.actor, account, parseLimits(body)),
      })),
    ),
    ...([true, false] as const).flatMap((is) => [
      dashboardRoute(
        `${ACCOUNT}/${is ? 'activate' : 'deactivate'}`,
        acts(async ({ signedIn }, account) => {
          await setActive(deps, signedIn.actor, account, is);
          return done;
        }),
      ),
      dashboardRoute(
        `${ACCOUNT}/${is ? 'grant-admin' : 'revoke-admin'}`,
        acts(async ({ signedIn }, account) => {
          await setAdmin(deps, signedIn.actor, account, is);
          return done;
        }),
      ),
    ]),
    dashboardRoute(
      `${ACCOUNT}/reset-second-factors`,
      acts(async ({ signedIn }, account) => {
        await removeSecondFactors(deps, signedIn.actor, account);
        return done;
      }),
    ),
    dashboardRoute(
      `${ACCOUNT}/end-sessions`,
      acts(async ({ signedIn }, account) => ({
        status: 200,
        json: { ended: await endAllSessions(deps, signedIn.actor, account) },
      })),
    ),
    dashboardRoute(`${ACCOUNT}/closing`, {
      GET: forPeople('instance.administer', async (request) => {
        const person = administratorOn(request.signedIn.actor, await found(request));
        return { status: 200, json: (await deps.reads.ask({ kind: 'account_closing', person })).head };
      }),
    }),
    dashboardRoute(
      `${ACCOUNT}/delete`,
      acts(async ({ signedIn, body }, account) => {
        await deleteAccount(deps, signedIn.actor, account, parseNewEmail(body).email);
        return done;
      }),
    ),
  ];
}
