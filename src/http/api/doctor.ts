import type { ServerResponse } from 'node:http';
import { AppError } from '../../domain/errors.ts';
import { systemTimers } from '../../lib/timers.ts';
import type { Deps } from '../../services/core/deps.ts';
import { isNonce, proofOf } from '../../services/instance/doctor-nonce.ts';
import type { DoctorAnswer } from '../../wire/api/doctor-answer.ts';
import { LATEST_VERSION } from '../../wire/api/version.ts';
import type { Site } from '../../wire/site.ts';
import { EVENT_STREAM, STREAM_HEADERS } from '../event-stream.ts';
import { API_BODY_LIMIT } from '../limits.ts';
import type { DrainLimits } from '../ping/request-body.ts';
import type { OpenOperation, Route } from '../route.ts';

/** A stream that is tried stays open for this time, if its reader does. */
const STREAM_MS = 4_000;

/**
 * Tells `tocsin doctor` what arrives here of its requests. It shows by its path that it knows the secret of this service; to
 * anybody else the path does not exist.
 */
export function doctorRoute(
  deps: Pick<Deps, 'vault' | 'clock'>,
  { root }: Pick<Site, 'root'>,
  { version, drainLimits }: { readonly version: string; readonly drainLimits: DrainLimits },
): Route {
  const answer: OpenOperation = {
    auth: 'public_token',
    body: { read: 'beginning', maxBytes: API_BODY_LIMIT, drainLimits },
    async handle({ params, headers, remoteAddr, peer, readBody }) {
      const nonce = params.nonce ?? '';
      if (!isNonce(deps.vault, deps.clock, nonce)) throw new AppError('not_found');
      if (headers.accept === EVENT_STREAM)
        return { status: 200, headers: STREAM_HEADERS, contentType: EVENT_STREAM, lasting: briefStream };
      const { length } = await readBody();
      const forwarded = headers['x-forwarded-for'];
      const json: DoctorAnswer = {
        proof: proofOf(deps.vault, nonce),
        version,
        root,
        address: remoteAddr,
        peer,
        forwarded_for: forwarded === undefined ? null : String(forwarded),
        body_bytes: length,
      };
      return { status: 200, headers: { 'cache-control': 'no-store' }, json };
    },
  };
  return {
    path: '/doctor/:nonce',
    versions: [LATEST_VERSION],
    cors: false,
    likeGet: ['HEAD'],
    operations: { GET: answer, POST: answer },
  };
}

/** Writes one event, as streams to pages do, and keeps the connection open. */
function briefStream(response: ServerResponse): () => void {
  const cancel = systemTimers.callAfter(STREAM_MS, () => response.end());
  response.once('close', cancel);
  return () => void response.write('event: doctor\ndata: {}\n\n');
}
