import { flag } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { readInput } from './input.ts';

const FIELDS = { assigned: flag('Whether the integration is told of the check.') };

export function parseAssignment(body: JsonObject): { readonly assigned: boolean } {
  return readInput(FIELDS, body);
}
