import { findCheck } from '../../services/checks.ts';
import type { Deps } from '../../services/deps.ts';
import { listFlips } from '../../services/flips.ts';
import { getPingBody, listPings } from '../../services/pings.ts';
import { flipsJson, parseFlipSpan, type V3Flips } from '../../wire/api/flips.ts';
import { pingJson } from '../../wire/api/ping-output.ts';
import * as docs from '../../wire/openapi/operations/history.ts';
import type { Site } from '../../wire/site.ts';
import { CHECK_SEGMENT, NUMBER_SEGMENT, UUID_SEGMENT } from '../path-segments.ts';
import { refOf } from './checks.ts';
import type { Endpoint, Operation } from './endpoint.ts';

/** The history of a check: its pings, their bodies, its flips. */
export function historyEndpoints(deps: Deps, site: Site, v3Flips: V3Flips): Endpoint[] {
  const pings: Operation = {
    doc: docs.listPings,
    permission: 'pings.view',
    async handle(request) {
      const check = await findCheck(deps, request.actor, refOf(request));
      const found = await listPings(deps, request.actor, check);
      const checkUrl = `${site.root}/api/v${request.version}/checks/${check.uuid}`;
      return { status: 200, json: { pings: found.map((one) => pingJson(one, checkUrl)) } };
    },
  };

  const body: Operation = {
    doc: docs.getPingBody,
    permission: 'pings.view',
    async handle(request) {
      const check = await findCheck(deps, request.actor, refOf(request));
      const bytes = await getPingBody(deps, request.actor, check, Number(request.params.n));
      return { status: 200, bytes, contentType: 'text/plain' };
    },
  };

  const flips: Operation = {
    doc: docs.listFlips(v3Flips),
    permission: 'checks.view',
    async handle(request) {
      const check = await findCheck(deps, request.actor, refOf(request));
      const span = parseFlipSpan(request.query, deps.clock.now());
      return {
        status: 200,
        json: flipsJson(await listFlips(deps, request.actor, check, span), request.version, v3Flips),
      };
    },
  };

  return [
    { path: `/checks/${UUID_SEGMENT}/pings/`, operations: { GET: pings } },
    { path: `/checks/${UUID_SEGMENT}/pings/${NUMBER_SEGMENT}/body`, operations: { GET: body } },
    { path: `/checks/${CHECK_SEGMENT}/flips/`, operations: { GET: flips } },
  ];
}
