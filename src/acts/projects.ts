import { ADDRESS_FORMS } from '../domain/ping/ping-address.ts';
import { oneOf, text } from '../lib/fields.ts';
import * as own from '../services/people/own-projects.ts';
import * as transfers from '../services/people/transfers.ts';
import { chooseAddressForm } from '../services/ping/ping-addresses.ts';
import { leaveProject as leave } from '../services/project/members.ts';
import * as verbs from '../services/project/projects.ts';
import { projectNameField } from '../wire/api/project-input.ts';
import { uuidField } from '../wire/dashboard/input.ts';
import { personAct, projectAct } from './act.ts';

export const createProject = personAct({
  permission: 'projects.edit',
  input: { name: projectNameField },
  run: async (deps, { person, input: { name } }) => {
    const { uuid } = await own.createOwnProject(deps, person, name);
    return { uuid };
  },
});

/** Brings back a project that its owner has deleted. Nobody can enter it before. */
export const restoreProject = personAct({
  permission: 'projects.edit',
  input: { target: uuidField },
  run: async (deps, { person, input }) => {
    await own.restoreProject(deps, person, input.target);
  },
});

export const renameProject = projectAct({
  permission: 'project.edit',
  input: { name: projectNameField },
  run: async (deps, { actor, input }) => {
    await verbs.renameProject(deps, actor, input.name);
  },
});

/** Chooses the form of the ping addresses that the person is shown. */
export const choosePingAddresses = projectAct({
  permission: 'checks.view_addresses',
  input: { form: oneOf(ADDRESS_FORMS, 'Form of ping addresses') },
  run: (deps, { actor, input }) => chooseAddressForm(deps, actor, input.form),
});

export const deleteProject = projectAct({
  permission: 'project.delete',
  /** The person repeats the name. */
  input: { name: text() },
  run: async (deps, { actor, input }) => {
    await verbs.deleteProject(deps, actor, input.name);
  },
});

export const leaveProject = projectAct({
  permission: 'project.leave',
  run: (deps, { actor }) => leave(deps, actor),
});

export const offerProject = projectAct({
  permission: 'project.transfer',
  input: { member: uuidField },
  run: (deps, { actor, input }) => transfers.offerProject(deps, actor, input.member),
});

export const withdrawOffer = projectAct({
  permission: 'project.transfer',
  run: (deps, { actor }) => transfers.withdrawOffer(deps, actor),
});

export const acceptProject = personAct({
  permission: 'projects.edit',
  input: { target: uuidField },
  run: (deps, { person, input }) => transfers.acceptProject(deps, person, input.target),
});

export const declineProject = personAct({
  permission: 'projects.edit',
  input: { target: uuidField },
  run: (deps, { person, input }) => transfers.declineProject(deps, person, input.target),
});
