import type { AccountDeps } from '../../services/accounts/deps.ts';
import { changeView, deleteView, listViews, saveView } from '../../services/saved-views.ts';
import { parseView, parseViewChange } from '../../wire/dashboard/saved-view-input.ts';
import { savedViewJson } from '../../wire/dashboard/saved-view-output.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { forMembers, projectRoute } from './dashboard-route.ts';

/** Views of the list of checks that people keep. */
export function savedViewRoutes(deps: AccountDeps): Route[] {
  return [
    projectRoute('/views', {
      GET: forMembers('views.edit', async ({ actor, signedIn }) => {
        const views = await listViews(deps, actor);
        const { accountId } = signedIn.actor;
        return {
          status: 200,
          json: { views: views.map((view) => savedViewJson(view, accountId, view.keeperEmail)) },
        };
      }),
      POST: forMembers('views.edit', async ({ actor, signedIn, body }) => {
        const view = await saveView(deps, actor, parseView(body));
        const { account, actor: person } = signedIn;
        return { status: 201, json: savedViewJson(view, person.accountId, account.email) };
      }),
    }),
    projectRoute(`/views/:view(${UUID_PATTERN})`, {
      POST: forMembers('views.edit', async ({ actor, params, body }) => {
        await changeView(deps, actor, params.view ?? '', parseViewChange(body));
        return { status: 204 };
      }),
      DELETE: forMembers('views.edit', async ({ actor, params }) => {
        await deleteView(deps, actor, params.view ?? '');
        return { status: 204 };
      }),
    }),
  ];
}
