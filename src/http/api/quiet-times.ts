import { type Actor, isAllowed } from '../../domain/people/permission.ts';
import {
  announceQuietTime,
  deleteQuietTime,
  editQuietTime,
  getQuietTime,
  type ListedQuietTime,
  listQuietTimes,
  stopQuietTime,
} from '../../services/check/quiet-times.ts';
import type { Deps } from '../../services/core/deps.ts';
import { parseQuietTime } from '../../wire/api/quiet-time-input.ts';
import { quietTimeJson } from '../../wire/api/quiet-time-output.ts';
import * as docs from '../../wire/openapi/operations/quiet-times.ts';
import { QUIET_TIME_SEGMENT } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import { type Endpoint, withKey } from './endpoint.ts';

/** Quiet times of a project. */
export function quietTimeEndpoints(deps: Deps): Endpoint[] {
  const shown = ({ caller }: Actor, quietTime: ListedQuietTime) =>
    quietTimeJson(quietTime, {
      now: deps.clock.now(),
      seesAddresses: isAllowed(caller, 'checks.view_addresses'),
    });
  const answer = (actor: Actor, quietTime: ListedQuietTime, status = 200): Answer => ({
    status,
    json: shown(actor, quietTime),
  });
  const list = withKey(docs.listQuietTimes, 'policies.view', async ({ actor }) => {
    const all = await listQuietTimes(deps, actor);
    return { status: 200, json: { quiet_times: all.map((one) => shown(actor, one)) } };
  });
  const announce = withKey(docs.announceQuietTime, 'policies.edit', async ({ actor, body }) => {
    const announced = await announceQuietTime(deps, actor, parseQuietTime(body));
    return answer(actor, announced, announced.isNew ? 201 : 200);
  });
  const get = withKey(docs.getQuietTime, 'policies.view', async ({ actor, params }) =>
    answer(actor, await getQuietTime(deps, actor, params.quiet_time ?? '')),
  );
  const edit = withKey(docs.editQuietTime, 'policies.edit', async ({ actor, params, body }) =>
    answer(actor, await editQuietTime(deps, actor, params.quiet_time ?? '', parseQuietTime(body))),
  );
  const remove = withKey(docs.deleteQuietTime, 'policies.edit', async ({ actor, params }) =>
    answer(actor, await deleteQuietTime(deps, actor, params.quiet_time ?? '')),
  );
  const stop = withKey(docs.stopQuietTime, 'policies.edit', async ({ actor, params }) =>
    answer(actor, await stopQuietTime(deps, actor, params.quiet_time ?? '')),
  );
  const one = `/quiet-times/${QUIET_TIME_SEGMENT}`;
  return [
    { path: '/quiet-times/', operations: { GET: list, POST: announce } },
    { path: one, operations: { GET: get, POST: edit, DELETE: remove } },
    { path: `${one}/stop`, operations: { POST: { ...stop, acceptsNullBody: true } } },
  ];
}
