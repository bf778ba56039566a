import type { Site } from '../wire/site.ts';

/** A year, as browsers want it to be for a site that stays. Sub-domains may belong to others. */
const STRICT_TRANSPORT = 'max-age=31536000';

/** Headers of every answer except those to pings. Each also has an `X-Request-Id`. */
export function securityHeaders({ root }: Pick<Site, 'root'>): Readonly<Record<string, string>> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    // After the first visit, browsers do not send a cookie or a password in the clear to a server on port 80.
    ...(new URL(root).protocol === 'https:' && { 'strict-transport-security': STRICT_TRANSPORT }),
  };
}
