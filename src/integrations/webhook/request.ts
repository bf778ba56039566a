import type { AlertEvent } from '../alert-event.ts';
import type { OutboundRequest } from '../kind.ts';
import { latin1 } from '../text/encode.ts';
import { fill } from '../text/fill.ts';
import { placeholders } from './placeholders.ts';

/** The request that tells of one direction of change, as the user wrote it: with placeholders such as `$NAME`. */
export interface WebhookCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Lets a receiver notice that a repeated request tells of the same change (draft-ietf-httpapi-idempotency-key-header). */
const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** The request that tells of the event. Neither a content type nor a user agent is added to what the user wants. */
export function webhookRequest(call: WebhookCall, event: AlertEvent): OutboundRequest {
  const table = placeholders(event);
  const headers = Object.entries(call.headers).map(([name, value]) => [
    name,
    latin1(fill(value, table, 'header')),
  ]);
  const hasKey = headers.some(([name]) => name?.toLowerCase() === IDEMPOTENCY_KEY.toLowerCase());
  return {
    method: call.method,
    url: fill(call.url, table, 'url'),
    headers: { ...(hasKey ? {} : { [IDEMPOTENCY_KEY]: event.deliveryId }), ...Object.fromEntries(headers) },
    body: call.method === 'GET' || call.body === '' ? null : fill(call.body, table, 'body'),
  };
}
