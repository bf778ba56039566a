import type { CheckRef } from '../../domain/check/check.ts';
import { isAllowed, type Permission } from '../../domain/people/permission.ts';
import { hasTag } from '../../lib/etag.ts';
import { checkList } from '../../reading/check-list.ts';
import {
  acknowledgeCheck,
  snoozeCheck,
  unacknowledgeCheck,
  unsnoozeCheck,
} from '../../services/alert/answers.ts';
import { besideChecks, type CheckWithChannels } from '../../services/check/check-list.ts';
import type { CheckWriter } from '../../services/check/check-writer.ts';
import { findRevision, readCheck } from '../../services/check/checks.ts';
import { readTimingHint } from '../../services/check/origins.ts';
import type { Deps } from '../../services/core/deps.ts';
import type { Reads } from '../../services/core/reads.ts';
import { type CheckInput, matchOf, parseCheckInput, toCheckEdit } from '../../wire/api/check-fields.ts';
import { type CheckJson, checkAnswer } from '../../wire/api/check-output.ts';
import { type CheckView, KeptChecks } from '../../wire/api/kept-checks.ts';
import { parseSnooze } from '../../wire/api/snooze-input.ts';
import type { ApiVersion } from '../../wire/api/version.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import * as docs from '../../wire/openapi/operations/checks.ts';
import type { Site } from '../../wire/site.ts';
import { CHECK_SEGMENT, checkRef, UUID_SEGMENT } from '../path-segments.ts';
import type { ApiRequest } from '../route.ts';
import { type Endpoint, withKey } from './endpoint.ts';

/** Memory for the JSON of checks that are requested one by one. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** `/checks/` and the operations on one check. */
export function checkEndpoints(
  deps: Deps,
  site: Site,
  reads: Reads,
  checkWriter: Pick<CheckWriter, 'perform'>,
): Endpoint[] {
  const keptChecks = new KeptChecks(site, MAX_KEPT_BYTES, (json) => json);
  const present = async (
    request: ApiRequest,
    { check, channelUuids }: CheckWithChannels,
  ): Promise<CheckJson> => {
    const now = deps.clock.now();
    const besideOf = await besideChecks(deps, [check], now);
    return checkAnswer(check, channelUuids, { ...viewOf(request), now, site }, besideOf(check));
  };

  const list = withKey(docs.listChecks, 'checks.view', async (request) => {
    const { actor, query, headers: sent } = request;
    const filter = { slug: query.getAll('slug').at(-1) || null, tags: query.getAll('tag') };
    const question = { actor, filter, view: viewOf(request), knownTags: sent['if-none-match'] };
    const { head, pieces } = await reads.ask(checkList, question);
    const headers = head.tag === null ? {} : revalidated(head.tag);
    if (!head.isKnown) return { status: 200, headers, pieces, byteLength: head.byteLength };
    await pieces.return?.();
    return { status: 304, headers };
  });

  const create = withKey(docs.createCheck, 'checks.edit', async (request) => {
    const { actor, body, version } = request;
    const input = parseCheckInput(body);
    const made = { ...changeOf(input, version), match: matchOf(input) };
    const created = await checkWriter.perform({ verb: 'create', actor, input: made });
    return { status: created.isNew ? 201 : 200, json: await present(request, created) };
  });

  /** Reads a check, with hints for those who see them. */
  const read = async (
    view: CheckView,
    actor: ApiRequest['actor'],
    found: Parameters<typeof readCheck>[2],
  ) => {
    const shown = await readCheck(deps, actor, found);
    if (!view.seesAddresses || view.version < 3) return shown;
    const hint = await readTimingHint(deps, shown.check, deps.clock.now());
    return { ...shown, hints: hint === null ? [] : [hint] };
  };

  const get = withKey(docs.getCheck, 'checks.view', async (request) => {
    const { actor, headers } = request;
    const view = viewOf(request);
    const now = deps.clock.now();
    const found = await findRevision(deps, actor, refOf(request));
    const kept =
      keptChecks.find(view, found, now) ?? keptChecks.make(view, await read(view, actor, found), now);
    const tag = `W/"${kept.revision}-${kept.checksum.toString(36)}"`;
    if (hasTag(headers['if-none-match'], tag)) return { status: 304, headers: revalidated(tag) };
    const { json: text } = kept;
    return { status: 200, headers: revalidated(tag), text, contentType: 'application/json' };
  });

  /** An operation on a check of the caller. The check is looked up before the body is examined. */
  const onOwnCheck = (
    doc: OperationDoc,
    act: (request: ApiRequest, id: number) => Promise<CheckWithChannels>,
    permission: Permission = 'checks.edit',
  ) =>
    withKey(doc, permission, async (request) => {
      const { id } = await findRevision(deps, request.actor, refOf(request));
      return { status: 200, json: await present(request, await act(request, id)) };
    });

  const update = onOwnCheck(docs.updateCheck, ({ actor, body, version }, id) => {
    const input = changeOf(parseCheckInput(body), version);
    return checkWriter.perform({ verb: 'update', actor, id, input });
  });
  const act = (doc: OperationDoc, verb: 'pause' | 'resume' | 'delete') =>
    onOwnCheck(doc, ({ actor }, id) => checkWriter.perform({ verb, actor, id }));
  const remove = act(docs.deleteCheck, 'delete');
  const pause = act(docs.pauseCheck, 'pause');
  const resume = act(docs.resumeCheck, 'resume');

  /** Somebody answers an alert. */
  const answer = (doc: OperationDoc, act: Parameters<typeof onOwnCheck>[1]) =>
    onOwnCheck(doc, act, 'outages.answer');
  const answers = {
    acknowledge: answer(docs.acknowledgeCheck, ({ actor }, id) => acknowledgeCheck(deps, actor, id)),
    unacknowledge: answer(docs.unacknowledgeCheck, ({ actor }, id) => unacknowledgeCheck(deps, actor, id)),
    unsnooze: answer(docs.unsnoozeCheck, ({ actor }, id) => unsnoozeCheck(deps, actor, id)),
  };
  const snooze = answer(docs.snoozeCheck, ({ actor, body }, id) =>
    snoozeCheck(deps, actor, id, parseSnooze(body)),
  );

  return [
    { path: '/checks/', operations: { GET: list, POST: create } },
    {
      path: `/checks/${CHECK_SEGMENT}`,
      operations: { GET: get, POST: update, DELETE: remove },
      operationsByUniqueKey: { GET: get },
    },
    { path: `/checks/${UUID_SEGMENT}/pause`, operations: { POST: { ...pause, acceptsNullBody: true } } },
    { path: `/checks/${UUID_SEGMENT}/resume`, operations: { POST: { ...resume, acceptsNullBody: true } } },
    { path: `/checks/${UUID_SEGMENT}/snooze`, operations: { POST: snooze } },
    ...Object.entries(answers).map(([verb, operation]) => ({
      path: `/checks/${UUID_SEGMENT}/${verb}`,
      operations: { POST: { ...operation, acceptsNullBody: true } },
    })),
  ];
}

function changeOf(input: CheckInput, version: ApiVersion) {
  const { channels } = input;
  return { edit: toCheckEdit(input, version), ...(channels !== undefined && { channels }) };
}

function viewOf({ actor, version }: ApiRequest): CheckView {
  return { seesAddresses: isAllowed(actor.caller, 'checks.view_addresses'), version };
}

/** A browser may keep the answer for this caller, and asks each time whether it is still the same. */
function revalidated(etag: string): Record<string, string> {
  return { etag, 'cache-control': 'private, no-cache' };
}

/** The check in the path, by either of its two identifiers. */
export function refOf({ params }: ApiRequest): CheckRef {
  return checkRef(params.check ?? '');
}
