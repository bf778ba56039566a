import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import type { Instant } from '../../lib/instant.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { OutboundRequest, Ports } from '../kind/kind.ts';
import { recoveryText } from '../text/recovery-text.ts';
import { githubCall, githubOutcome } from './api.ts';

/** The issue of the outage that ends, if it is in that repository. */
export function issueOf({ answers }: AlertEvent, repo: string): string | null {
  const [place, number] = (answers?.providerId ?? '').split(' ');
  return place === repo ? (number ?? null) : null;
}

/** The name by which an issue is found later. */
export function issueName(repo: string, number: unknown): { readonly providerId?: string } {
  return Number.isSafeInteger(number) ? { providerId: `${repo} ${number}` } : {};
}

/**
 * Tells in the issue that the outage is over. It is closed before, since that can be repeated if the comment fails:
 * https://docs.github.com/en/rest/issues/issues#update-an-issue and
 * https://docs.github.com/en/rest/issues/comments#create-an-issue-comment. An issue that is gone needs nothing more.
 */
export async function endIssue(
  event: AlertEvent,
  path: string,
  isClosed: boolean,
  token: string,
  { http }: Pick<Ports, 'http'>,
): Promise<Outcome> {
  const close = {
    ...githubCall(token, path, { state: 'closed', state_reason: 'completed' }),
    method: 'PATCH',
  };
  const comment = githubCall(token, `${path}/comments`, { body: recoveryText(event) });
  for (const call of isClosed ? [close, comment] : [comment]) {
    const outcome = await sent(call, http, event.now);
    if (outcome.kind !== 'delivered') return outcome;
  }
  return DELIVERED;
}

async function sent(call: OutboundRequest, http: Ports['http'], now: Instant): Promise<Outcome> {
  const reply = await http(call);
  if ('error' in reply) return tryAgain(reply.error);
  if (reply.status === 404 || reply.status === 410) return DELIVERED;
  return githubOutcome(reply, now);
}
