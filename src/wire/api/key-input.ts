import { API_KEY_KINDS, type ApiKeyKind, MAX_OVERLAP_HOURS } from '../../domain/people/api-key.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { type Field, integer, oneOf, refined, text } from '../../lib/fields.ts';
import { fromIso, type Instant } from '../../lib/instant.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { readGiven, readInput } from '../dashboard/input.ts';
import type { JsonObject } from './body.ts';

/** Hours for which a key that is replaced stays valid, if nobody says otherwise. */
const DEFAULT_OVERLAP_HOURS = 24;
const MAX_TIME_LENGTH = 50;

export const keyNameField: Field<string> = refined(
  text({ maxLength: TEXT_LIMITS.keyName, description: 'What it is for.' }),
  'name',
  (value) => oneLine(value).trim() || null,
);

const timeField: Field<Instant, string> = refined(text({ maxLength: MAX_TIME_LENGTH }), 'time', fromIso);

/** When something expires. Null: never. */
export const expiresField: Field<Instant | null, string | null> = {
  read: (value, name) => (value === null ? null : timeField.read(value, name)),
  schema: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'From then on it is refused. Never, where this is null or left out.',
  },
};

export const NEW_KEY_FIELDS = {
  name: keyNameField,
  kind: oneOf(API_KEY_KINDS, 'Whether it opens everything in the project, or only shows.'),
};

export const ROTATION_FIELDS = {
  overlap_hours: integer({
    minimum: 0,
    maximum: MAX_OVERLAP_HOURS,
    description: `Hours for which the old key stays valid; ${DEFAULT_OVERLAP_HOURS} if left out.`,
  }),
  expires: expiresField,
};

export interface NewKeyInput {
  readonly name: string;
  readonly kind: ApiKeyKind;
  readonly expiresAt: Instant | null;
}

export function parseNewKey(body: JsonObject): NewKeyInput {
  return { ...readInput(NEW_KEY_FIELDS, body), expiresAt: expiryOf(body) };
}

export function parseRotation(body: JsonObject): { overlapHours: number; expiresAt: Instant | null } {
  const { overlap_hours: overlapHours = DEFAULT_OVERLAP_HOURS } = readGiven(ROTATION_FIELDS, body);
  return { overlapHours, expiresAt: expiryOf(body) };
}

/** When the new key or token expires. */
export function expiryOf(body: JsonObject): Instant | null {
  return readGiven({ expires: expiresField }, body).expires ?? null;
}
