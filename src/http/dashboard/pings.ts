import { createHash } from 'node:crypto';
import { isAllowed } from '../../domain/people/permission.ts';
import { pingHtml } from '../../reading/ping-page.ts';
import { findById } from '../../services/check/checks.ts';
import { readMovedBody } from '../../services/history/ping-page.ts';
import type { AccountDeps } from '../../services/people/deps.ts';
import { getShownPingBody } from '../../services/ping/pings.ts';
import { MAIL_STYLE } from '../../views/ping-body.ts';
import { NUMBER_SEGMENT } from '../path-segments.ts';
import type { CheckRequest, Route } from '../route.ts';
import { checkRoute, onCheck } from './dashboard-route.ts';

/**
 * The document of a mail loads nothing but its own style, and has no origin, so that it could reach nothing even if
 * something ran in it. Only pages of this site may frame it.
 */
const MAIL_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(MAIL_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox',
].join('; ');

const MAIL_HEADERS = { 'content-security-policy': MAIL_POLICY, 'x-frame-options': 'SAMEORIGIN' };

/** The body of a ping as it came, and the document of a mail. */
export function pingRoutes(deps: AccountDeps): Route[] {
  const about = async ({ actor, check, params }: CheckRequest) => {
    const n = Number(params.n);
    return { actor, checkId: check.id, n, moved: await readMovedBody(deps, actor, check.id, n) };
  };
  const one = `/pings/${NUMBER_SEGMENT}`;
  return [
    checkRoute(`${one}/html`, {
      GET: onCheck('pings.view', async (request) => {
        const { pieces } = await deps.reads.ask(pingHtml, await about(request));
        return { status: 200, headers: MAIL_HEADERS, pieces, contentType: 'text/html; charset=utf-8' };
      }),
    }),
    checkRoute(`${one}/body`, {
      GET: onCheck('pings.view', async ({ actor, check: { id }, params }) => {
        const check = await findById(deps, actor, id);
        const bytes = await getShownPingBody(deps, actor, check, Number(params.n));
        // With the UUID anybody can ping.
        const isShown = isAllowed(actor.caller, 'checks.view_addresses');
        const name = `${isShown ? check.uuid : check.uniqueKey}-${params.n}.txt`;
        const headers = { 'content-disposition': `attachment; filename="${name}"` };
        return { status: 200, headers, bytes, contentType: 'application/octet-stream' };
      }),
    }),
  ];
}
