import { createHash } from 'node:crypto';

/** The tag of a text. The text is the same wherever it is made, byte by byte. */
export function etagOf(content: string | Uint8Array): string {
  return `"${hashOf(content)}"`;
}

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16);
}

/** Whether `If-None-Match` names the tag: the client has the answer. A proxy that compresses marks it as weak. */
export function hasTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const strong = withoutMark(etag);
  return ifNoneMatch.split(',').some((one) => ['*', strong].includes(withoutMark(one.trim())));
}

function withoutMark(etag: string): string {
  return etag.replace(/^W\//, '');
}
