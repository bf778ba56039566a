import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Answer } from '../replies.ts';
import type { OpenRequest } from '../route.ts';

/** A file that never changes while the program runs. */
export interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  /** The hash of the content. It also distinguishes versions in an address. */
  readonly hash: string;
}

export async function staticFile(type: string, content: string | Buffer): Promise<StaticFile> {
  const bytes = Buffer.from(content);
  return {
    type,
    bytes,
    gzipped: await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
    hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 16),
  };
}

export const FOR_EVER = 'public, max-age=31536000, immutable';
/** The browser keeps the file and asks again each time. The answer is then nearly always 304. */
export const REVALIDATED = 'no-cache';

export function fileAnswer(
  { headers: asked }: Pick<OpenRequest, 'headers'>,
  file: StaticFile,
  cacheControl: string,
): Answer {
  const etag = `"${file.hash}"`;
  const headers = { etag, 'cache-control': cacheControl, vary: 'accept-encoding' };
  if (namesTag(asked['if-none-match'], etag)) return { status: 304, headers };
  const answer = { status: 200, contentType: file.type };
  if (!/\bgzip\b/.test(String(asked['accept-encoding'] ?? '')))
    return { ...answer, headers, bytes: file.bytes };
  return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, bytes: file.gzipped };
}

/** Whether the header names the tag. A proxy that compresses marks the tag as weak. */
function namesTag(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
