import { AppError } from '../../domain/errors.ts';
import { ALL_CHECKS, type BadgeCounts, type BadgeStates } from '../../domain/public/badge.ts';
import { etagOf, hasTag } from '../../lib/etag.ts';
import type { Deps } from '../../services/core/deps.ts';
import type { Reads } from '../../services/core/reads.ts';
import { checkBadge } from '../../services/public/badges.ts';
import { TagBadges } from '../../services/public/tag-badges.ts';
import { type BadgeFormat, parseBadgeAddress, splitExtension } from '../../wire/badge/addresses.ts';
import { badgeDocument } from '../../wire/badge/badge-output.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import * as docs from '../../wire/openapi/operations/badges.ts';
import type { Site } from '../../wire/site.ts';
import { TOKEN, UUID_PATTERN } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { OpenRequest, Route } from '../route.ts';

type Params = Readonly<Record<string, string>>;

/** Public badges: `/badge/…` for a project's tags, `/b/…` for a single check. */
export function badgeRoutes(deps: Deps, site: Site, reads: Reads): Route[] {
  const tagBadges = new TagBadges(deps, reads);
  /** The drawn badges, for as long as their counts are kept. */
  const drawings = new WeakMap<BadgeCounts, Map<string, Drawing>>();

  const serveTag = async (params: Params): Promise<Drawing> => {
    const { badgeKey = '', signed = '', file = null } = params;
    const address = parseBadgeAddress(badgeKey, signed, file);
    const counts = address && (await tagBadges.countsOf(address));
    if (address === null || counts === null) throw new AppError('not_found');
    const label = address.tag === ALL_CHECKS ? site.masterBadgeLabel : address.tag;
    const { format, states } = address;
    return drawings
      .getOrInsertComputed(counts, () => new Map())
      .getOrInsertComputed(`${format} ${states}`, () => draw(format, label, counts, states));
  };

  const serveCheck = async ({ states = '', file = '' }: Params): Promise<Drawing> => {
    const [badgeKey, format] = splitExtension(file);
    const isBadgeKey = new RegExp(UUID_PATTERN).test(badgeKey);
    const found = format === null || !isBadgeKey ? null : await checkBadge(deps, badgeKey);
    if (format === null || found === null) throw new AppError('not_found');
    return draw(format, found.label, found.counts, Number(states) === 3 ? 3 : 2);
  };

  const route = (
    path: string,
    documentedPath: string,
    doc: OperationDoc,
    serve: (params: Params) => Promise<Drawing>,
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

/** A badge in one format. */
interface Drawing {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** Weak: it identifies the drawing. */
  readonly etag: string;
}

function draw(format: BadgeFormat, label: string, counts: BadgeCounts, states: BadgeStates): Drawing {
  const { text, contentType } = badgeDocument(format, label, counts, states);
  return { bytes: Buffer.from(text), contentType, etag: `W/${etagOf(text)}` };
}

/** An image proxy sends the tag of its copy, although it may not keep it. */
function badgeAnswer({ headers: asked }: OpenRequest, { bytes, contentType, etag }: Drawing): Answer {
  const headers = { etag };
  if (hasTag(asked['if-none-match'], etag)) return { status: 304, headers };
  return { status: 200, headers, bytes, contentType };
}

/** Without these headers image proxies and browsers would continue to show an old status. */
function neverCached(deps: Deps): Record<string, string> {
  return {
    'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, private',
    expires: new Date(deps.clock.now() / 1_000).toUTCString(),
  };
}
