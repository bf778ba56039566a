const BEARER = 'Bearer ';

/** The token of an `Authorization` header, spelled as clients of this API spell it; null where there is none. */
export function bearerToken(authorization: string | undefined): string | null {
  return authorization?.startsWith(BEARER) ? authorization.slice(BEARER.length) : null;
}
