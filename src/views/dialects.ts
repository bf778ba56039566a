import { listProjectAliases, readDialects } from '../services/ping/aliases.ts';
import { readDeclarationMode } from '../services/ping/declarations.ts';
import { aliasJson } from './alias-json.ts';
import { projectView } from './view.ts';

/** The programs whose ping addresses the project accepts, and the keys that stand for its ping key. */
export const projectDialects = projectView({
  permission: 'keys.edit',
  read: async (deps, { actor }) => {
    const { kuma, cronitor } = await readDialects(deps, actor);
    return {
      kuma,
      cronitor: cronitor !== null,
      /** Whether pings of Cronitor create missing checks. */
      create: cronitor?.create ?? false,
      /** How far jobs may declare their checks. */
      declarations: await readDeclarationMode(deps, actor),
      aliases: (await listProjectAliases(deps, actor)).map(aliasJson),
    };
  },
});
