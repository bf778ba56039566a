import type { Outcome } from '../../domain/alert/delivery.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reply } from '../kind/kind.ts';
import type { OutboundRequest } from '../kind/outbound-request.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, jsonOf, limitEndsIn } from '../send/reply.ts';

const API = 'https://api.github.com';

/**
 * The outcome of GitHub's answer. https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api:
 * after too many requests all are forbidden until a time that the answer tells.
 */
export function githubOutcome(reply: Reply, now: Instant): Outcome {
  const outcome = classifyByStatus(reply, jsonOf(reply).message);
  const isLimited = [403, 429].includes(reply.status) && reply.headers['x-ratelimit-remaining'] === '0';
  if (outcome.kind !== 'try_again' || outcome.afterSeconds !== null || !isLimited) return outcome;
  return { ...outcome, afterSeconds: limitEndsIn(reply, now) };
}

/** A request to GitHub in the name of the token's holder. */
export function githubCall(token: string, path: string, payload: object): OutboundRequest {
  return jsonCall(`${API}${path}`, payload, {
    Authorization: `Bearer ${token}`,
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
  });
}
