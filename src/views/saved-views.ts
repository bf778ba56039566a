import { listViews } from '../services/check/saved-views.ts';
import { projectView } from './view.ts';

/** Views of the list of checks that the person sees, in order of creation. */
export const savedViews = projectView({
  permission: 'views.edit',
  read: async (deps, { actor, person }) =>
    (await listViews(deps, actor)).map(({ uuid, name, query, isShared, accountId, keeperEmail }) => ({
      uuid,
      name,
      /** The query of the address of the list, without the question mark. */
      query,
      isShared,
      isOwn: accountId === person.accountId,
      /** The address of the person who keeps it. */
      by: keeperEmail,
    })),
});
