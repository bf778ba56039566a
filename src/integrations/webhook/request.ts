import { Fault } from '../../lib/fields.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { OutboundRequest } from '../kind/kind.ts';
import { latin1 } from '../text/encode.ts';
import { fill } from '../text/fill.ts';
import { filledAddress } from './address.ts';
import { placeholders } from './placeholders.ts';

/** The request for one direction of change, as the user wrote it: with placeholders such as `$NAME`. */
export interface WebhookCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Lets a receiver recognise a repeated request about the same change (draft-ietf-httpapi-idempotency-key-header). */
const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** Says that nothing has happened. The user need not have written a placeholder for the name of the check, which is TEST. */
const TEST = 'X-Test-Message';

/** Whether the user has written that placeholder where it is filled in. */
export function mentions({ url, headers, body }: WebhookCall, placeholder: string): boolean {
  return [url, ...Object.values(headers), body].some((template) => template.includes(placeholder));
}

/**
 * The request that reports the event. No content type and no user agent are added to the user's headers. A fault if its
 * address would have another host than the user has written.
 */
export function webhookRequest(call: WebhookCall, event: AlertEvent): OutboundRequest | Fault {
  const table = placeholders(event);
  const url = filledAddress(call.url, table);
  if (url instanceof Fault) return url;
  const headers = Object.entries(call.headers).map(([name, value]) => [
    name,
    latin1(fill(value, table, 'header')),
  ]);
  const added = Object.entries({
    [IDEMPOTENCY_KEY]: event.deliveryId,
    ...(event.isTest && { [TEST]: 'true' }),
  });
  const has = (wanted: string) => headers.some(([name]) => name?.toLowerCase() === wanted.toLowerCase());
  return {
    method: call.method,
    url,
    headers: Object.fromEntries([...added.filter(([name]) => !has(name)), ...headers]),
    body: call.method === 'GET' || call.body === '' ? null : fill(call.body, table, 'body'),
  };
}
