import type { AccountDeps } from '../../services/accounts/deps.ts';
import { createOwnProject, restoreProject, roleOf } from '../../services/accounts/projects.ts';
import {
  acceptProject,
  declineProject,
  offerProject,
  readOffer,
  withdrawOffer,
} from '../../services/accounts/transfers.ts';
import { chooseAddressForm } from '../../services/ping-addresses.ts';
import { deleteProject, readProject, renameProject } from '../../services/projects.ts';
import {
  parseAddressForm,
  parseOffer,
  parseProjectName,
  parseTypedName,
} from '../../wire/dashboard/project-input.ts';
import { deletedJson, offerJson, projectJson } from '../../wire/dashboard/project-output.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forMembers, forPeople, PROJECT_PATH, projectRoute } from './dashboard-route.ts';

export function projectRoutes(deps: AccountDeps): Route[] {
  return [...ownProjectRoutes(deps), ...singleProjectRoutes(deps), ...transferRoutes(deps)];
}

/** Projects of a person, also such as they cannot enter. */
function ownProjectRoutes(deps: AccountDeps): Route[] {
  return [
    dashboardRoute('/projects', {
      GET: forPeople('projects.view', async ({ signedIn }) => {
        const { pieces } = await deps.reads.ask({ kind: 'project_list', person: signedIn.actor });
        return { status: 200, pieces };
      }),
      POST: forPeople('projects.edit', async ({ signedIn, body }) => {
        const project = await createOwnProject(deps, signedIn.actor, parseProjectName(body).name);
        return { status: 201, json: projectJson(project, 'owner') };
      }),
    }),
    dashboardRoute(`${PROJECT_PATH}/restore`, {
      POST: forPeople('projects.edit', async ({ signedIn, params }) => {
        const project = await restoreProject(deps, signedIn.actor, params.project ?? '');
        return { status: 200, json: projectJson(project, 'owner') };
      }),
    }),
  ];
}

function singleProjectRoutes(deps: AccountDeps): Route[] {
  return [
    projectRoute('', {
      GET: forMembers('project.view', async ({ actor }) => {
        const offer = await readOffer(deps, actor);
        const project = projectJson(await readProject(deps, actor), roleOf(actor));
        return { status: 200, json: { ...project, offer: offer && offerJson(offer) } };
      }),
      POST: forMembers('project.edit', async ({ actor, body }) => ({
        status: 200,
        json: projectJson(await renameProject(deps, actor, parseProjectName(body).name), roleOf(actor)),
      })),
    }),
    projectRoute('/addresses', {
      POST: forMembers('project.edit', async ({ actor, body }) => {
        await chooseAddressForm(deps, actor, parseAddressForm(body));
        return { status: 204 };
      }),
    }),
    projectRoute('/delete', {
      POST: forMembers('project.delete', async ({ actor, body }) => ({
        status: 200,
        json: deletedJson(await deleteProject(deps, actor, parseTypedName(body).name)),
      })),
    }),
  ];
}

function transferRoutes(deps: AccountDeps): Route[] {
  return [
    projectRoute('/offer', {
      POST: forMembers('project.transfer', async ({ actor, body }) => ({
        status: 200,
        json: offerJson(await offerProject(deps, actor, parseOffer(body).account)),
      })),
      DELETE: forMembers('project.transfer', async ({ actor }) => {
        await withdrawOffer(deps, actor);
        return { status: 204 };
      }),
    }),
    dashboardRoute(`${PROJECT_PATH}/offer/accept`, {
      POST: forPeople('projects.edit', async ({ signedIn, params }) => {
        const project = await acceptProject(deps, signedIn.actor, params.project ?? '');
        return { status: 200, json: projectJson(project, 'owner') };
      }),
    }),
    dashboardRoute(`${PROJECT_PATH}/offer/decline`, {
      POST: forPeople('projects.edit', async ({ signedIn, params }) => {
        await declineProject(deps, signedIn.actor, params.project ?? '');
        return { status: 204 };
      }),
    }),
  ];
}
