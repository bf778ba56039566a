import { jsonCall } from '../json-call.ts';
import type { OutboundRequest } from '../outbound-request.ts';

const API = 'https://api.github.com';

/** A request to GitHub in the name of whoever has the token. */
export function githubCall(token: string, path: string, payload: object): OutboundRequest {
  return jsonCall(`${API}${path}`, payload, {
    Authorization: `Bearer ${token}`,
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
  });
}
