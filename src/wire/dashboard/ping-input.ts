import type { Signal } from '../../domain/ping/ping.ts';
import { oneOf, text } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { readGiven } from './input.ts';

/** Characters of a body that somebody sends from a page. */
export const MAX_HAND_BODY = 10_000;

const FIELDS = {
  signal: oneOf(['success', 'fail', 'start', 'log'], 'What the ping means.'),
  body: text({ maxLength: MAX_HAND_BODY }),
};

/** A ping that somebody sends from a page. Without anything it is a success. */
export function parsePing(body: JsonObject): {
  readonly signal: Exclude<Signal, 'ign'>;
  readonly body: Uint8Array | null;
} {
  const { signal = 'success', body: said = '' } = readGiven(FIELDS, body);
  return { signal, body: said === '' ? null : new TextEncoder().encode(said) };
}
