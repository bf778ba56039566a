import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ALL_CHECKS, type BadgeCounts, type BadgeStates } from '../../domain/badge.ts';
import { toTemporal } from '../../lib/instant.ts';
import { SharedRuns } from '../../lib/shared-runs.ts';
import { checkBadge, tagBadge } from '../../services/badges.ts';
import type { Deps } from '../../services/deps.ts';
import { type BadgeFormat, parseBadgeAddress, splitExtension } from '../../wire/badge/addresses.ts';
import { badgeDocument } from '../../wire/badge/badge-output.ts';
import type { DocumentedOperation } from '../../wire/openapi/document.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import * as docs from '../../wire/openapi/operations/badges.ts';
import type { Site } from '../../wire/site.ts';
import { methodGate } from '../method-gate.ts';
import { TOKEN, UUID_PATTERN } from '../path-segments.ts';
import { sendError } from '../replies.ts';

type Params = Readonly<Record<string, string>>;

/** Public badges: `/badge/…` of a project's tags, `/b/…` of a single check. */
export function mountBadges(app: FastifyInstance, deps: Deps, site: Site): DocumentedOperation[] {
  const gate = methodGate(['GET']);
  const mount = (url: string, serve: (params: Params, reply: FastifyReply) => Promise<FastifyReply>) =>
    app.route({
      method: app.supportedMethods,
      url,
      onRequest: [async (_request, reply) => void reply.headers(neverCached(deps)), gate],
      handler: (request, reply) => serve(request.params as Params, reply),
    });

  // Anybody may ask, as often as they like: however many do, a badge is worked out once at a time.
  const counting = new SharedRuns<BadgeCounts | null>();

  const serveTag = async (params: Params, reply: FastifyReply) => {
    const { badgeKey = '', signed = '', file = null } = params;
    const address = parseBadgeAddress(badgeKey, signed, file);
    if (address === null) return notFound(reply);
    const asked = JSON.stringify([address.badgeKey, address.signature, address.tag]);
    const counts = await counting.run(asked, () => tagBadge(deps, address, turn));
    if (counts === null) return notFound(reply);
    const label = address.tag === ALL_CHECKS ? site.masterBadgeLabel : address.tag;
    return sendBadge(reply, address.format, label, counts, address.states);
  };

  const serveCheck = async ({ states = '', file = '' }: Params, reply: FastifyReply) => {
    const [badgeKey, format] = splitExtension(file);
    const isBadgeKey = new RegExp(UUID_PATTERN).test(badgeKey);
    const badge = format === null || !isBadgeKey ? null : await checkBadge(deps, badgeKey);
    if (format === null || badge === null) return notFound(reply);
    return sendBadge(reply, format, badge.label, badge.counts, Number(states) === 3 ? 3 : 2);
  };

  mount(`/badge/:badgeKey(${TOKEN})/:signed(${TOKEN})/:file`, serveTag);
  mount(`/badge/:badgeKey(${TOKEN})/:signed`, serveTag);
  mount('/b/:states(^[0-9]+$)/:file', serveCheck);
  const documented = (path: string, doc: OperationDoc) =>
    ({ method: 'GET', path, access: 'open', doc }) as const;
  return [
    documented('/badge/{badge_key}/{signature}/{tag}.{format}', docs.getTagBadge),
    documented('/badge/{badge_key}/{signature}.{format}', docs.getProjectBadge),
    documented('/b/{states}/{badge_key}.{format}', docs.getCheckBadge),
  ];
}

function sendBadge(
  reply: FastifyReply,
  format: BadgeFormat,
  label: string,
  counts: BadgeCounts,
  states: BadgeStates,
): FastifyReply {
  const { contentType, text } = badgeDocument(format, label, counts, states);
  // To a text the framework would add a charset.
  return reply.header('content-type', contentType).send(Buffer.from(text));
}

function notFound(reply: FastifyReply): FastifyReply {
  return sendError(reply, 404, 'not found');
}

/** Image proxies and browsers would otherwise go on showing a status that has passed. */
function neverCached(deps: Deps): Record<string, string> {
  return {
    'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, private',
    expires: new Date(toTemporal(deps.clock.now()).epochMilliseconds).toUTCString(),
  };
}
