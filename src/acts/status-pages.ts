/** Acts on status pages, their incidents and their maintenances. */
import { INCIDENT_STATES, type UpdateState } from '../domain/public/status-page.ts';
import { integer, oneOf } from '../lib/fields.ts';
import * as verbs from '../services/public/status-pages.ts';
import { expiresField } from '../wire/api/key-input.ts';
import { optional, uuidField } from '../wire/dashboard/input.ts';
import {
  componentIdsField,
  componentsField,
  PAGE_FIELDS,
  titleField,
  UPDATE_FIELDS,
  updateText,
} from '../wire/dashboard/status-page-input.ts';
import { projectAct } from './act.ts';

const PAGE = { page: uuidField };
const NOTICE = { ...PAGE, notice: uuidField };

export const createStatusPage = projectAct({
  permission: 'status_pages.edit',
  input: { ...PAGE_FIELDS, about: optional(PAGE_FIELDS.about), tz: optional(PAGE_FIELDS.tz) },
  run: async (deps, { actor, input }) => {
    const { uuid } = await verbs.createStatusPage(deps, actor, { about: '', tz: 'UTC', ...input });
    return { uuid };
  },
});

export const editStatusPage = projectAct({
  permission: 'status_pages.edit',
  input: {
    ...{ ...PAGE, ...PAGE_FIELDS, components: componentsField },
    /** The revision that was edited. The edit is refused if somebody else has changed the page. */
    revision: optional(integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  },
  run: (deps, { actor, input: { page: uuid, revision = null, ...text } }) =>
    verbs.editStatusPage(deps, actor, { uuid }, { ...text, revision }),
});

export const publishStatusPage = projectAct({
  permission: 'status_pages.edit',
  input: PAGE,
  run: (deps, { actor, input }) => verbs.publishStatusPage(deps, actor, { uuid: input.page }, true),
});

export const unpublishStatusPage = projectAct({
  permission: 'status_pages.edit',
  input: PAGE,
  run: (deps, { actor, input }) => verbs.publishStatusPage(deps, actor, { uuid: input.page }, false),
});

export const deleteStatusPage = projectAct({
  permission: 'status_pages.edit',
  input: PAGE,
  run: (deps, { actor, input }) => verbs.deleteStatusPage(deps, actor, { uuid: input.page }),
});

/** An incident starts when it is opened. */
export const openIncident = projectAct({
  permission: 'status_pages.edit',
  input: {
    ...{ ...PAGE, title: titleField, components: componentIdsField },
    state: oneOf<UpdateState>(
      INCIDENT_STATES.filter((state) => state !== 'over'),
      'What it says.',
    ),
    text: updateText,
  },
  run: async (deps, { actor, input: { page: uuid, title, components: componentIds, ...update } }) => {
    const incident = { kind: 'incident', title, componentIds, startsAt: null, endsAt: null } as const;
    return { uuid: await verbs.openNotice(deps, actor, { uuid }, { ...incident, update }) };
  },
});

/** The times of a maintenance are planned. */
export const planMaintenance = projectAct({
  permission: 'status_pages.edit',
  input: {
    ...{ ...PAGE, title: titleField, components: componentIdsField, text: updateText },
    ...{ starts: optional(expiresField), ends: optional(expiresField) },
  },
  run: async (deps, { actor, input: { page: uuid, title, components: componentIds, ...input } }) => {
    const { text, starts: startsAt = null, ends: endsAt = null } = input;
    const maintenance = { kind: 'maintenance', title, componentIds, startsAt, endsAt } as const;
    const update = { state: 'note', text } as const;
    return { uuid: await verbs.openNotice(deps, actor, { uuid }, { ...maintenance, update }) };
  },
});

export const postNoticeUpdate = projectAct({
  permission: 'status_pages.edit',
  input: { ...NOTICE, ...UPDATE_FIELDS },
  run: (deps, { actor, input: { page: uuid, notice, ...update } }) =>
    verbs.postUpdate(deps, actor, { uuid, notice }, update),
});

export const correctNoticeUpdate = projectAct({
  permission: 'status_pages.edit',
  input: { ...NOTICE, update: uuidField, text: updateText },
  run: (deps, { actor, input: { page: uuid, text, ...ref } }) =>
    verbs.correctUpdate(deps, actor, { uuid, ...ref }, text),
});

export const deleteNotice = projectAct({
  permission: 'status_pages.edit',
  input: NOTICE,
  run: (deps, { actor, input: { page: uuid, notice } }) => verbs.deleteNotice(deps, actor, { uuid, notice }),
});
