/** The name of the scheme is not sensitive to case (RFC 9110, section 11.1). */
const BEARER = /^bearer /i;

/** The token of an `Authorization` header; null where there is none. */
export function bearerToken(authorization: string | undefined): string | null {
  return authorization !== undefined && BEARER.test(authorization)
    ? authorization.slice('bearer '.length)
    : null;
}
