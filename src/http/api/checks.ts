import { isAllowed } from '../../domain/permission.ts';
import type { CheckWithChannels } from '../../services/check-list.ts';
import {
  type CheckRef,
  createCheck,
  deleteCheck,
  findCheck,
  getCheck,
  pauseCheck,
  resumeCheck,
  updateCheck,
} from '../../services/checks.ts';
import type { Deps } from '../../services/deps.ts';
import type { Reads } from '../../services/reads.ts';
import { matchOf, parseCheckInput, toCheckEdit } from '../../wire/api/check-input.ts';
import { type CheckJson, checkJson, type Viewer } from '../../wire/api/check-output.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import * as docs from '../../wire/openapi/operations/checks.ts';
import type { Site } from '../../wire/site.ts';
import { CHECK_SEGMENT, isUniqueKey, UUID_SEGMENT } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { ApiRequest } from '../route.ts';
import type { Endpoint, Operation } from './endpoint.ts';

/** `/checks/` and the operations on one check. */
export function checkEndpoints(deps: Deps, site: Site, reads: Reads): Endpoint[] {
  const viewerOf = ({ actor, version }: ApiRequest): Viewer => ({
    seesAddresses: isAllowed(actor.caller, 'checks.view_addresses'),
    version,
    now: deps.clock.now(),
    site,
  });
  const present = (request: ApiRequest, { check, channelUuids }: CheckWithChannels): CheckJson =>
    checkJson(check, channelUuids, viewerOf(request));

  const list: Operation = {
    doc: docs.listChecks,
    permission: 'checks.view',
    async handle(request) {
      const filter = { slug: request.query.getAll('slug').at(-1) || null, tags: request.query.getAll('tag') };
      const { actor, version } = request;
      const view = { seesAddresses: isAllowed(actor.caller, 'checks.view_addresses'), version };
      const { pieces } = await reads.ask({ kind: 'check_list', actor, filter, view });
      return { status: 200, pieces };
    },
  };

  const create: Operation = {
    doc: docs.createCheck,
    permission: 'checks.edit',
    async handle(request) {
      const input = parseCheckInput(request.body);
      const created = await createCheck(deps, request.actor, {
        edit: toCheckEdit(input, request.version),
        match: matchOf(input),
        ...(input.channels !== undefined && { channels: input.channels }),
      });
      return { status: created.isNew ? 201 : 200, json: present(request, created) };
    },
  };

  const get: Operation = {
    doc: docs.getCheck,
    permission: 'checks.view',
    async handle(request) {
      return { status: 200, json: present(request, await getCheck(deps, request.actor, refOf(request))) };
    },
  };

  /** An operation on a check of the caller. The check is looked up before the body is examined. */
  const onOwnCheck = (
    doc: OperationDoc,
    act: (request: ApiRequest, id: number) => Promise<CheckWithChannels>,
  ) => ({
    doc,
    permission: 'checks.edit' as const,
    async handle(request: ApiRequest): Promise<Answer> {
      const { id } = await findCheck(deps, request.actor, refOf(request));
      return { status: 200, json: present(request, await act(request, id)) };
    },
  });

  const update = onOwnCheck(docs.updateCheck, (request, id) => {
    const input = parseCheckInput(request.body);
    return updateCheck(deps, request.actor, id, {
      edit: toCheckEdit(input, request.version),
      ...(input.channels !== undefined && { channels: input.channels }),
    });
  });
  const remove = onOwnCheck(docs.deleteCheck, (request, id) => deleteCheck(deps, request.actor, id));
  const pause = onOwnCheck(docs.pauseCheck, (request, id) => pauseCheck(deps, request.actor, id));
  const resume = onOwnCheck(docs.resumeCheck, (request, id) => resumeCheck(deps, request.actor, id));

  return [
    { path: '/checks/', operations: { GET: list, POST: create } },
    {
      path: `/checks/${CHECK_SEGMENT}`,
      operations: { GET: get, POST: update, DELETE: remove },
      operationsByUniqueKey: { GET: get },
    },
    { path: `/checks/${UUID_SEGMENT}/pause`, operations: { POST: { ...pause, acceptsNullBody: true } } },
    { path: `/checks/${UUID_SEGMENT}/resume`, operations: { POST: { ...resume, acceptsNullBody: true } } },
  ];
}

/** The check in the path, by either of its two identifiers. */
export function refOf({ params }: ApiRequest): CheckRef {
  const { check = '' } = params;
  return isUniqueKey(check) ? { uniqueKey: check } : { uuid: check };
}
