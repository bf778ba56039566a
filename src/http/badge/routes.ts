import { ALL_CHECKS, type BadgeCounts } from '../../domain/badge.ts';
import { AppError } from '../../domain/errors.ts';
import { etagOf, hasTag } from '../../lib/etag.ts';
import { toTemporal } from '../../lib/instant.ts';
import { SharedRuns } from '../../lib/shared-runs.ts';
import { checkBadge, isTagSigned } from '../../services/badges.ts';
import type { Deps } from '../../services/deps.ts';
import type { Reads } from '../../services/reads.ts';
import { parseBadgeAddress, splitExtension } from '../../wire/badge/addresses.ts';
import { type BadgeDocument, badgeDocument } from '../../wire/badge/badge-output.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import * as docs from '../../wire/openapi/operations/badges.ts';
import type { Site } from '../../wire/site.ts';
import { TOKEN, UUID_PATTERN } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { OpenRequest, Route } from '../route.ts';

type Params = Readonly<Record<string, string>>;

/** Public badges: `/badge/…` for a project's tags, `/b/…` for a single check. */
export function badgeRoutes(deps: Deps, site: Site, reads: Reads): Route[] {
  // Anybody may request badges without a limit. Concurrent requests for one badge share one computation.
  const counting = new SharedRuns<BadgeCounts | null>();

  const serveTag = async (params: Params): Promise<BadgeDocument> => {
    const { badgeKey = '', signed = '', file = null } = params;
    const address = parseBadgeAddress(badgeKey, signed, file);
    if (address === null) throw new AppError('not_found');
    // The signature is checked here, so that requests with invented addresses delay nobody else.
    if (!isTagSigned(deps, address)) throw new AppError('not_found');
    const { badgeKey: key, signature, tag } = address;
    const counts = await counting.run(JSON.stringify([key, tag]), async () => {
      const question = { kind: 'tag_badge', tag: { badgeKey: key, signature, tag } } as const;
      const { head, pieces } = await reads.ask(question);
      await pieces.return?.();
      return head;
    });
    if (counts === null) throw new AppError('not_found');
    const label = address.tag === ALL_CHECKS ? site.masterBadgeLabel : address.tag;
    return badgeDocument(address.format, label, counts, address.states);
  };

  const serveCheck = async ({ states = '', file = '' }: Params): Promise<BadgeDocument> => {
    const [badgeKey, format] = splitExtension(file);
    const isBadgeKey = new RegExp(UUID_PATTERN).test(badgeKey);
    const found = format === null || !isBadgeKey ? null : await checkBadge(deps, badgeKey);
    if (format === null || found === null) throw new AppError('not_found');
    return badgeDocument(format, found.label, found.counts, Number(states) === 3 ? 3 : 2);
  };

  const route = (
    path: string,
    documentedPath: string,
    doc: OperationDoc,
    serve: (params: Params) => Promise<BadgeDocument>,
  ): Route => ({
    path,
    documentedPath,
    cors: true,
    headers: () => neverCached(deps),
    operations: {
      GET: {
        auth: 'public_token',
        doc,
        handle: async (request) => badgeAnswer(request, await serve(request.params)),
      },
    },
  });
  return [
    route(
      `/badge/:badgeKey(${TOKEN})/:signed(${TOKEN})/:file`,
      '/badge/{badge_key}/{signature}/{tag}.{format}',
      docs.getTagBadge,
      serveTag,
    ),
    route(
      `/badge/:badgeKey(${TOKEN})/:signed`,
      '/badge/{badge_key}/{signature}.{format}',
      docs.getProjectBadge,
      serveTag,
    ),
    route('/b/:states(^[0-9]+$)/:file', '/b/{states}/{badge_key}.{format}', docs.getCheckBadge, serveCheck),
  ];
}

/** An image proxy sends the tag of what it has, although it may not keep it. */
function badgeAnswer({ headers: asked }: OpenRequest, { text, contentType }: BadgeDocument): Answer {
  // Weak: it tells what is shown.
  const etag = `W/${etagOf(text)}`;
  if (hasTag(asked['if-none-match'], etag)) return { status: 304, headers: { etag } };
  return { status: 200, headers: { etag }, text, contentType };
}

/** Without these headers image proxies and browsers would continue to show an old status. */
function neverCached(deps: Deps): Record<string, string> {
  return {
    'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, private',
    expires: new Date(toTemporal(deps.clock.now()).epochMilliseconds).toUTCString(),
  };
}
