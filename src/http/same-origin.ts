import { AppError } from '../domain/errors.ts';
import type { HttpRequest } from './request.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses requests that may change something unless a page of this site has sent them. Browsers tell where a request
 * comes from, and no page can make them tell something else. A request that does not tell is refused, too.
 */
export function requireSameOrigin({ method, headers }: HttpRequest, siteOrigin: string): void {
  if (SAFE_METHODS.includes(method)) return;
  const isOwn =
    headers['sec-fetch-site'] === undefined
      ? isOwnOrigin(headers.origin, headers.host, siteOrigin)
      : headers['sec-fetch-site'] === 'same-origin';
  if (!isOwn) throw new AppError('cross_origin');
}

/**
 * Browsers send `Sec-Fetch-Site` to https addresses and to this machine. For others there is `Origin`. It is compared
 * with `Host` as well: people may use an address of the service that is not `SITE_ROOT`.
 */
function isOwnOrigin(origin: string | undefined, host: string | undefined, siteOrigin: string): boolean {
  if (origin === undefined) return false;
  return origin === siteOrigin || (host !== undefined && URL.parse(origin)?.host === host.toLowerCase());
}
