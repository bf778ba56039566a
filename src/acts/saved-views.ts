import * as views from '../services/check/saved-views.ts';
import { optional, uuidField } from '../wire/dashboard/input.ts';
import { VIEW_FIELDS } from '../wire/dashboard/view-input.ts';
import { projectAct } from './act.ts';

export const saveView = projectAct({
  permission: 'views.edit',
  input: VIEW_FIELDS,
  run: async (deps, { actor, input }) => {
    const { uuid } = await views.saveView(deps, actor, input);
    return { uuid };
  },
});

export const changeView = projectAct({
  permission: 'views.edit',
  input: {
    view: uuidField,
    name: optional(VIEW_FIELDS.name),
    query: optional(VIEW_FIELDS.query),
    isShared: optional(VIEW_FIELDS.isShared),
  },
  run: (deps, { actor, input: { view, ...change } }) => views.changeView(deps, actor, view, change),
});

export const deleteView = projectAct({
  permission: 'views.edit',
  input: { view: uuidField },
  run: (deps, { actor, input }) => views.deleteView(deps, actor, input.view),
});
