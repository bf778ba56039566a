import { createHash } from 'node:crypto';
import { isAllowed } from '../../domain/people/permission.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import { readCheck } from '../../services/checks.ts';
import { readMovedBody } from '../../services/ping-page.ts';
import type { PingWriter } from '../../services/ping-writer.ts';
import { getShownPingBody, pingByHand } from '../../services/pings.ts';
import { parsePing } from '../../wire/dashboard/ping-input.ts';
import { MAIL_STYLE } from '../../wire/dashboard/ping-output.ts';
import type { Site } from '../../wire/site.ts';
import { NUMBER_SEGMENT } from '../path-segments.ts';
import type { CheckRequest, Route } from '../route.ts';
import { checkRoute, onCheck } from './dashboard-route.ts';

interface Parts {
  readonly pings: Pick<PingWriter, 'record'>;
  readonly pingBodyLimit: number | null;
}

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

/** Single pings: all about one, its body as it came, and one by a button. */
export function pingRoutes(deps: AccountDeps, { root }: Site, { pings, pingBodyLimit }: Parts): Route[] {
  const scheme = new URL(root).protocol.replace(':', '');
  const about = async ({ actor, check, params }: CheckRequest) => {
    const n = Number(params.n);
    return { actor, checkId: check.id, n, moved: await readMovedBody(deps, actor, check.id, n) };
  };
  const one = `/pings/${NUMBER_SEGMENT}`;
  return [
    checkRoute('/ping', {
      POST: onCheck('checks.view_addresses', async ({ actor, check, client, body }) => {
        const sender = { scheme, remoteAddr: client.address, userAgent: client.userAgent };
        const said = parsePing(body);
        const kept = said.body?.subarray(0, pingBodyLimit ?? undefined) ?? null;
        await pingByHand(deps, actor, check.id, sender, { ...said, body: kept }, pings);
        return { status: 204 };
      }),
    }),
    checkRoute(one, {
      GET: onCheck('pings.view', async (request) => {
        const isWhole = request.query.has('whole');
        const asked = { ...(await about(request)), bodyLimit: pingBodyLimit, isWhole };
        return { status: 200, pieces: (await deps.reads.ask({ kind: 'ping_page', ...asked })).pieces };
      }),
    }),
    checkRoute(`${one}/html`, {
      GET: onCheck('pings.view', async (request) => {
        const { pieces } = await deps.reads.ask({ kind: 'ping_html', ...(await about(request)) });
        return { status: 200, headers: MAIL_HEADERS, pieces, contentType: 'text/html; charset=utf-8' };
      }),
    }),
    checkRoute(`${one}/body`, {
      GET: onCheck('pings.view', async ({ actor, check: { id }, params }) => {
        const { check } = await readCheck(deps, actor, { id });
        const bytes = await getShownPingBody(deps, actor, check, Number(params.n));
        // Whoever knows the UUID can ping.
        const isShown = isAllowed(actor.caller, 'checks.view_addresses');
        const name = `${isShown ? check.uuid : check.uniqueKey}-${params.n}.txt`;
        const headers = { 'content-disposition': `attachment; filename="${name}"` };
        return { status: 200, headers, bytes, contentType: 'application/octet-stream' };
      }),
    }),
  ];
}
