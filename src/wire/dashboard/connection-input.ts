import { text } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { NEW_CHANNEL_FIELDS } from '../api/channel-input.ts';
import { readInput } from './input.ts';

const { kind } = NEW_CHANNEL_FIELDS;

export function parseConnectionStart(body: JsonObject): { readonly kind: string } {
  return readInput({ kind }, body);
}

/** With what a browser has come back from a provider. */
interface WayBackInput {
  /** What follows `/integrations/` in the address. */
  readonly path: string;
  /** The query and the fragment of the address, as a query. */
  readonly answer: URLSearchParams;
}

const WAY_BACK_FIELDS = { path: text({ maxLength: 50 }), answer: text({ maxLength: 16_000 }) };

export function parseWayBack(body: JsonObject): WayBackInput {
  const { path, answer } = readInput(WAY_BACK_FIELDS, body);
  return { path, answer: new URLSearchParams(answer) };
}

export function parseInvitation(body: JsonObject): { readonly invitation: string } {
  return readInput({ invitation: text({ maxLength: 2_000 }) }, body);
}

export function parseConnectionChoice(body: JsonObject): { readonly choice: string } {
  return readInput({ choice: text({ maxLength: 10_000 }) }, body);
}
