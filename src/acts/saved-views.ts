import { MAX_VIEW_QUERY } from '../domain/saved-view.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { flag, refined, text } from '../lib/fields.ts';
import { oneLine } from '../lib/text/one-line.ts';
import * as views from '../services/check/saved-views.ts';
import { optional, uuidField } from '../wire/dashboard/input.ts';
import { projectAct } from './act.ts';

const nameField = refined(
  text({ maxLength: TEXT_LIMITS.viewName }),
  'name',
  (value) => oneLine(value).trim() || null,
);

/** The query of an address: characters that need no further escape. */
const queryField = refined(text({ maxLength: MAX_VIEW_QUERY }), 'query', (value) =>
  /^[\w%+&=.~*!'()-]*$/.test(value) ? value : null,
);

const sharedField = flag('Whether everybody in the project sees it.');

export const saveView = projectAct({
  permission: 'views.edit',
  input: { name: nameField, query: queryField, isShared: sharedField },
  run: async (deps, { actor, input }) => {
    const { uuid } = await views.saveView(deps, actor, input);
    return { uuid };
  },
});

export const changeView = projectAct({
  permission: 'views.edit',
  input: {
    view: uuidField,
    name: optional(nameField),
    query: optional(queryField),
    isShared: optional(sharedField),
  },
  run: (deps, { actor, input: { view, ...change } }) => views.changeView(deps, actor, view, change),
});

export const deleteView = projectAct({
  permission: 'views.edit',
  input: { view: uuidField },
  run: (deps, { actor, input }) => views.deleteView(deps, actor, input.view),
});
