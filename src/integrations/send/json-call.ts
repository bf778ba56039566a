import type { OutboundRequest } from '../kind/kind.ts';

/** A request with a JSON body. */
export function jsonCall(
  url: string,
  payload: unknown,
  headers: Readonly<Record<string, string>> = {},
): OutboundRequest {
  return {
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(payload),
  };
}
