import * as verbs from '../services/project/walls.ts';
import { keyNameField } from '../wire/api/key-input.ts';
import { uuidField } from '../wire/dashboard/input.ts';
import { projectAct } from './act.ts';

/** Answers with the address of the display. Nobody can read it again. */
export const createWall = projectAct({
  permission: 'keys.edit',
  input: { name: keyNameField },
  run: async (deps, { actor, input }) => {
    const { wall, token } = await verbs.createWall(deps, actor, input.name);
    return { uuid: wall.uuid, name: wall.name, address: `${deps.site.root}/wall/${token}` };
  },
});

export const revokeWall = projectAct({
  permission: 'keys.edit',
  input: { wall: uuidField },
  run: (deps, { actor, input }) => verbs.revokeWall(deps, actor, input.wall),
});
