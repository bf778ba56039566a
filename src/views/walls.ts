import { maskedWallToken } from '../domain/people/api-key.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { projectView } from './view.ts';

/** The wall displays of a project, in order of creation. Their addresses are shown once, when they are made. */
export const wallDisplays = projectView({
  permission: 'keys.edit',
  read: async ({ store }, { actor }) =>
    (await store.walls.ofProject(actor.projectId)).map(({ uuid, name, lookup, createdAt, makerEmail }) => ({
      ...{ uuid, name, token: maskedWallToken(lookup) },
      ...{ created: toIsoSeconds(createdAt), createdBy: makerEmail },
    })),
});
