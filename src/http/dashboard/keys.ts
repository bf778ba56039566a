import type { AccountDeps } from '../../services/accounts/deps.ts';
import {
  createKey,
  listKeys,
  type MadeKey,
  replacePingKey,
  revealPingKey,
  revokeKey,
  revokePingKey,
  rotateKey,
} from '../../services/keys.ts';
import { parseNewKey, parseRotation } from '../../wire/api/key-input.ts';
import { keyJson } from '../../wire/api/key-output.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { Route } from '../route.ts';
import { forMembers, projectRoute } from './dashboard-route.ts';

/** The keys of a project. */
export function keyRoutes(deps: AccountDeps): Route[] {
  const made = ({ apiKey, secret }: MadeKey): Answer => ({
    status: 201,
    json: { ...keyJson(apiKey, deps.clock.now()), secret },
  });
  const key = `/keys/:key(${UUID_PATTERN})`;
  return [
    projectRoute('/keys', {
      GET: forMembers('keys.edit', async ({ actor }) => {
        const keys = await listKeys(deps, actor);
        return { status: 200, json: { keys: keys.map((one) => keyJson(one, deps.clock.now())) } };
      }),
      POST: forMembers('keys.edit', async ({ actor, body }) =>
        made(await createKey(deps, actor, parseNewKey(body))),
      ),
    }),
    projectRoute(key, {
      DELETE: forMembers('keys.edit', async ({ actor, params }) => {
        await revokeKey(deps, actor, params.key ?? '');
        return { status: 204 };
      }),
    }),
    projectRoute(`${key}/rotate`, {
      POST: forMembers('keys.edit', async ({ actor, params, body }) =>
        made(await rotateKey(deps, actor, params.key ?? '', parseRotation(body))),
      ),
    }),
    projectRoute('/keys/ping', {
      GET: forMembers('keys.edit', async ({ actor }) => ({
        status: 200,
        json: { ping_key: await revealPingKey(deps, actor) },
      })),
      POST: forMembers('keys.edit', async ({ actor }) => ({
        status: 201,
        json: { ping_key: await replacePingKey(deps, actor) },
      })),
      DELETE: forMembers('keys.edit', async ({ actor }) => {
        await revokePingKey(deps, actor);
        return { status: 204 };
      }),
    }),
  ];
}
