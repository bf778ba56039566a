import { createCheck, listChecks } from '../../services/checks.ts';
import type { Deps } from '../../services/deps.ts';
import { matchOf, parseCheckInput, toCheckEdit } from '../../wire/api/check-input.ts';
import { checkJson, type Site, type Viewer } from '../../wire/api/check-output.ts';
import type { ApiRequest, Endpoint } from './endpoint.ts';

export function checksEndpoint(deps: Deps, site: Site): Endpoint {
  return {
    path: '/checks/',
    operations: {
      GET: {
        need: 'read',
        async handle(request) {
          const filter = {
            slug: request.query.getAll('slug').at(-1) || null,
            tags: request.query.getAll('tag'),
          };
          const found = await listChecks(deps, request.actor, filter);
          const viewer = viewerOf(deps, site, request);
          const checks = found.map(({ check, channelUuids }) => checkJson(check, channelUuids, viewer));
          return { status: 200, json: { checks } };
        },
      },
      POST: {
        need: 'write',
        async handle(request) {
          const input = parseCheckInput(request.body);
          const created = await createCheck(deps, request.actor, {
            edit: toCheckEdit(input, request.version),
            match: matchOf(input),
            ...(input.channels !== undefined && { channels: input.channels }),
          });
          const json = checkJson(created.check, created.channelUuids, viewerOf(deps, site, request));
          return { status: created.isNew ? 201 : 200, json };
        },
      },
    },
  };
}

function viewerOf(deps: Deps, site: Site, { actor, version }: ApiRequest): Viewer {
  return { access: actor.access, version, now: deps.clock.now(), site };
}
