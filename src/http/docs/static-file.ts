import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { hashOf, hasTag } from '../../lib/etag.ts';
import type { Answer } from '../replies.ts';
import type { OpenRequest } from '../route.ts';

/** A file that never changes while the program runs. */
export interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  /** Both forms together. */
  readonly byteLength: number;
  /** The hash of the content. It also distinguishes versions in an address. */
  readonly hash: string;
}

export async function staticFile(type: string, content: string | Buffer): Promise<StaticFile> {
  const bytes = Buffer.from(content);
  const gzipped = await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION });
  return { type, bytes, gzipped, byteLength: bytes.length + gzipped.length, hash: hashOf(bytes) };
}

export const FOR_EVER = 'public, max-age=31536000, immutable';
/**
 * Browsers and proxies keep the file for five minutes and then ask whether it is still the same. A page that is older
 * than the program finds its other files where it came from: they are kept for longer.
 */
export const FOR_MINUTES = 'public, max-age=300';

export function fileAnswer(
  { headers: asked }: Pick<OpenRequest, 'headers'>,
  file: StaticFile,
  cacheControl: string,
): Answer {
  const etag = `"${file.hash}"`;
  const headers = { etag, 'cache-control': cacheControl, vary: 'accept-encoding' };
  if (hasTag(asked['if-none-match'], etag)) return { status: 304, headers };
  const answer = { status: 200, contentType: file.type };
  if (!/\bgzip\b/.test(String(asked['accept-encoding'] ?? '')))
    return { ...answer, headers, bytes: file.bytes };
  return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, bytes: file.gzipped };
}
