import { DECLARATION_MODES } from '../domain/check/job-declaration.ts';
import { PING_DIALECTS } from '../domain/ping/dialect.ts';
import { flag, oneOf, text } from '../lib/fields.ts';
import * as verbs from '../services/ping/aliases.ts';
import { setDeclarationMode } from '../services/ping/declarations.ts';
import { uuidField } from '../wire/dashboard/input.ts';
import { checkAct, projectAct } from './act.ts';

/** The verb refuses text that cannot be a token, with a sentence. */
const ALIAS_FIELDS = { dialect: oneOf(PING_DIALECTS, 'Program'), token: text() };

/** Chooses the programs whose ping addresses the project accepts. */
export const setDialects = projectAct({
  permission: 'project.edit',
  input: {
    kuma: flag('Uptime Kuma'),
    cronitor: flag('Cronitor'),
    create: flag('Whether pings of Cronitor create missing checks'),
  },
  run: (deps, { actor, input: { kuma, cronitor, create } }) =>
    verbs.setDialects(deps, actor, { kuma, cronitor: cronitor ? { create } : null }),
});

/** Chooses how far jobs may declare the checks of the project. */
export const setJobDeclarations = projectAct({
  permission: 'project.edit',
  input: { mode: oneOf(DECLARATION_MODES, 'Mode') },
  run: (deps, { actor, input: { mode } }) => setDeclarationMode(deps, actor, mode),
});

/** Lets the key of another program stand for the ping key. */
export const addProjectAlias = projectAct({
  permission: 'keys.edit',
  input: ALIAS_FIELDS,
  run: (deps, { actor, input }) => verbs.addProjectAlias(deps, actor, input),
});

export const removeProjectAlias = projectAct({
  permission: 'keys.edit',
  input: { alias: uuidField },
  run: (deps, { actor, input }) => verbs.removeProjectAlias(deps, actor, input.alias),
});

/** Lets the token of another program stand for the check. */
export const addCheckAlias = checkAct({
  permission: 'checks.edit',
  input: ALIAS_FIELDS,
  run: (deps, { actor, checkId, input }) => verbs.addCheckAlias(deps, actor, checkId, input),
});

export const removeCheckAlias = checkAct({
  permission: 'checks.edit',
  input: { alias: uuidField },
  run: (deps, { actor, checkId, input }) => verbs.removeCheckAlias(deps, actor, checkId, input.alias),
});
