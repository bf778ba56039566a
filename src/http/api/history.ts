import { flipList, pingList, runList, whyAnswer } from '../../reading/lists.ts';
import { findCheck } from '../../services/check/checks.ts';
import type { Deps } from '../../services/core/deps.ts';
import type { Reads } from '../../services/core/reads.ts';
import { getPingBody } from '../../services/ping/pings.ts';
import { flipListForm, type V3Flips } from '../../wire/api/flips.ts';
import * as docs from '../../wire/openapi/operations/history.ts';
import { CHECK_SEGMENT, NUMBER_SEGMENT, UUID_SEGMENT } from '../path-segments.ts';
import { refOf } from './checks.ts';
import { type Endpoint, withKey } from './endpoint.ts';

/** The history of a check: its pings, their bodies, its runs, its flips, and who is told of it. */
export function historyEndpoints(deps: Deps, v3Flips: V3Flips, reads: Reads): Endpoint[] {
  const pings = withKey(docs.listPings, 'pings.view', async (request) => {
    const { actor, version } = request;
    const { pieces } = await reads.ask(pingList, { actor, check: refOf(request), version });
    return { status: 200, pieces };
  });

  const body = withKey(docs.getPingBody, 'pings.view', async (request) => {
    const check = await findCheck(deps, request.actor, refOf(request));
    const bytes = await getPingBody(deps, request.actor, check, Number(request.params.n));
    return { status: 200, bytes, contentType: 'text/plain' };
  });

  const runs = withKey(docs.listRuns, 'checks.view', async (request) => {
    const { actor, version } = request;
    const query = request.query.toString();
    const { pieces } = await reads.ask(runList, { actor, check: refOf(request), query, version });
    return { status: 200, pieces };
  });

  const flips = withKey(docs.listFlips(v3Flips), 'checks.view', async (request) => {
    const { actor, version } = request;
    const query = request.query.toString();
    const form = flipListForm(version, v3Flips);
    const { pieces } = await reads.ask(flipList, { actor, check: refOf(request), query, form });
    return { status: 200, pieces };
  });

  const why = withKey(docs.askWhy, 'policies.view', async (request) => {
    const { actor } = request;
    const query = request.query.toString();
    const { pieces } = await reads.ask(whyAnswer, { actor, check: refOf(request), query });
    return { status: 200, pieces };
  });

  return [
    { path: `/checks/${UUID_SEGMENT}/pings/`, operations: { GET: pings } },
    { path: `/checks/${UUID_SEGMENT}/pings/${NUMBER_SEGMENT}/body`, operations: { GET: body } },
    { path: `/checks/${CHECK_SEGMENT}/runs/`, operations: { GET: runs } },
    { path: `/checks/${CHECK_SEGMENT}/flips/`, operations: { GET: flips } },
    { path: `/checks/${UUID_SEGMENT}/why`, operations: { GET: why } },
  ];
}
