import assert from 'node:assert/strict';
import type { Reply } from '../app.ts';

export type CheckAnswer = Readonly<Record<string, unknown>>;

/** The check in an answer. Its values are compared, not computed with, so their types stay open. */
export function checkOf(reply: Reply): CheckAnswer {
  return reply.json as CheckAnswer;
}

/** The checks in the answer to a list request. */
export function checksOf(reply: Reply): CheckAnswer[] {
  return (reply.json as { checks: CheckAnswer[] }).checks;
}

/** Only `keys` of the check, for comparing a few at once. */
export function pick(check: CheckAnswer, keys: readonly string[]): CheckAnswer {
  return Object.fromEntries(keys.map((key) => [key, check[key]]));
}

/** The answer is this error, in exactly the JSON and under the content type that clients know. */
export function assertError(reply: Reply, status: number, error: string, about = 'the error'): void {
  const seen = { status: reply.status, type: reply.headers['content-type'], text: reply.text };
  assert.deepEqual(seen, { status, type: 'application/json', text: JSON.stringify({ error }) }, about);
}

export function assertStatus(reply: Reply, status: number, about = 'status'): void {
  assert.equal(reply.status, status, `${about}: ${reply.text.slice(0, 200)}`);
}

/** Browsers of any origin may read the answer. */
export function assertCors(reply: Reply, methods: readonly string[], about = 'the headers'): void {
  const { headers } = reply;
  const seen = {
    origin: headers['access-control-allow-origin'],
    headers: headers['access-control-allow-headers'],
    methods: headers['access-control-allow-methods']?.split(', ').sort(),
    maxAge: headers['access-control-max-age'],
  };
  const expected = { origin: '*', headers: 'X-Api-Key', methods: [...methods].sort(), maxAge: '600' };
  assert.deepEqual(seen, expected, about);
}
