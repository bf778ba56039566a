import type { Deps } from '../../services/core/deps.ts';
import {
  createKey,
  listKeys,
  type MadeKey,
  replacePingKey,
  revealPingKey,
  revokeKey,
  revokePingKey,
  rotateKey,
} from '../../services/project/keys.ts';
import { parseNewKey, parseRotation } from '../../wire/api/key-input.ts';
import { keyJson } from '../../wire/api/key-output.ts';
import * as docs from '../../wire/openapi/operations/account.ts';
import { KEY_SEGMENT, PROJECT_SEGMENT } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { Route } from '../route.ts';
import { accountRoute, inProject } from './account-route.ts';

/** The keys of a project. */
export function keyRoutes(deps: Deps): Route[] {
  const made = ({ apiKey, secret }: MadeKey): Answer => ({
    status: 201,
    json: { ...keyJson(apiKey, deps.clock.now()), secret },
  });
  const keys = `/projects/${PROJECT_SEGMENT}/keys/`;
  return [
    accountRoute(keys, {
      GET: inProject(docs.listKeys, 'keys.edit', async ({ actor }) => {
        const all = await listKeys(deps, actor);
        return { status: 200, json: { keys: all.map((one) => keyJson(one, deps.clock.now())) } };
      }),
      POST: inProject(docs.createKey, 'keys.edit', async ({ actor, body }) =>
        made(await createKey(deps, actor, parseNewKey(body))),
      ),
    }),
    accountRoute(`${keys}${KEY_SEGMENT}`, {
      DELETE: inProject(docs.revokeKey, 'keys.edit', async ({ actor, params }) => {
        await revokeKey(deps, actor, params.key_uuid ?? '');
        return { status: 204 };
      }),
    }),
    accountRoute(`${keys}${KEY_SEGMENT}/rotate`, {
      POST: inProject(docs.rotateKey, 'keys.edit', async ({ actor, params, body }) =>
        made(await rotateKey(deps, actor, params.key_uuid ?? '', parseRotation(body))),
      ),
    }),
    accountRoute(`/projects/${PROJECT_SEGMENT}/ping_key`, {
      GET: inProject(docs.getPingKey, 'keys.edit', async ({ actor }) => ({
        status: 200,
        json: { ping_key: await revealPingKey(deps, actor) },
      })),
      POST: inProject(docs.replacePingKey, 'keys.edit', async ({ actor }) => ({
        status: 201,
        json: { ping_key: await replacePingKey(deps, actor) },
      })),
      DELETE: inProject(docs.revokePingKey, 'keys.edit', async ({ actor }) => {
        await revokePingKey(deps, actor);
        return { status: 204 };
      }),
    }),
  ];
}
