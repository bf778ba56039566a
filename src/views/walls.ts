import { maskedWallToken } from '../domain/people/api-key.ts';
import { text } from '../lib/fields.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { enterByWall } from '../services/project/walls.ts';
import type { WallViewJson } from './board-json.ts';
import { wallBoard } from './check-boards.ts';
import { JsonPieces, mainView, projectView } from './view.ts';

/** The wall displays of a project, in order of creation. Their addresses are shown once, when they are made. */
export const wallDisplays = projectView({
  permission: 'keys.edit',
  read: async ({ store }, { actor }) =>
    (await store.walls.ofProject(actor.projectId)).map(({ uuid, name, lookup, createdAt, makerEmail }) => ({
      ...{ uuid, name, token: maskedWallToken(lookup) },
      ...{ created: toIsoSeconds(createdAt), createdBy: makerEmail },
    })),
});

/** The content of a wall display, for everybody who has its address. */
export const wallView = mainView.visitor({
  permission: null,
  input: { token: text({ maxLength: 100 }) },
  read: async (deps, { client, input: { token } }) => {
    const entered = await enterByWall(deps, token, client.address);
    return new JsonPieces<WallViewJson>((await deps.reads.ask(wallBoard, entered)).pieces);
  },
});
