import * as keys from '../services/project/keys.ts';
import { expiresField, NEW_KEY_FIELDS, ROTATION_FIELDS } from '../wire/api/key-input.ts';
import { optional, uuidField } from '../wire/dashboard/input.ts';
import { projectAct } from './act.ts';

export const createKey = projectAct({
  permission: 'keys.edit',
  input: { ...NEW_KEY_FIELDS, expires: optional(expiresField) },
  run: async (deps, { actor, input: { expires: expiresAt = null, ...key } }) =>
    madeKey(await keys.createKey(deps, actor, { ...key, expiresAt })),
});

/** Makes a key in the place of another one, which stays valid for a while. */
export const rotateKey = projectAct({
  permission: 'keys.edit',
  input: { key: uuidField, overlapHours: ROTATION_FIELDS.overlap_hours, expires: optional(expiresField) },
  run: async (deps, { actor, input: { key, overlapHours, expires: expiresAt = null } }) =>
    madeKey(await keys.rotateKey(deps, actor, key, { overlapHours, expiresAt })),
});

/** The key itself is shown once. */
function madeKey({ apiKey: { name }, secret }: keys.MadeKey) {
  return { name, secret };
}

export const revokeKey = projectAct({
  permission: 'keys.edit',
  input: { key: uuidField },
  run: (deps, { actor, input }) => keys.revokeKey(deps, actor, input.key),
});

/** Makes a ping key, in the place of the one from before. */
export const replacePingKey = projectAct({
  permission: 'keys.edit',
  run: async (deps, { actor }) => {
    await keys.replacePingKey(deps, actor);
  },
});

export const revokePingKey = projectAct({
  permission: 'keys.edit',
  run: (deps, { actor }) => keys.revokePingKey(deps, actor),
});
