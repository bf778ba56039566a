import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file that never changes while the program runs. */
export interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  /** Of the content; also what tells two versions apart in an address. */
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
/** Kept, but asked for again each time; the answer is then nearly always 304. */
export const REVALIDATED = 'no-cache';

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
  cacheControl: string,
): FastifyReply {
  const etag = `"${file.hash}"`;
  reply.headers({ etag, 'cache-control': cacheControl, vary: 'accept-encoding' });
  if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('content-type', file.type);
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(file.bytes);
  return reply.header('content-encoding', 'gzip').send(file.gzipped);
}

/** A proxy that compresses marks the tag as weak. */
function namesTag(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
