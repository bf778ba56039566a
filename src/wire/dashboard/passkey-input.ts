import { Fault, type Field } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { nameField, readRequired, sealedField } from './input.ts';

/** What WebAuthn answers in the browser. Its parts are looked at when it is verified. */
const responseField: Field<JsonObject> = {
  read(value, name) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : new Fault(`${name} is not an object`);
  },
  schema: { type: 'object' },
};

const ANSWER = { sealed: sealedField, response: responseField };

export function parseChallengeAnswer(body: JsonObject): {
  readonly sealed: string;
  readonly response: JsonObject;
} {
  return readRequired(ANSWER, body);
}

export function parsePasskey(body: JsonObject): {
  readonly sealed: string;
  readonly response: JsonObject;
  readonly name: string;
} {
  return readRequired({ ...ANSWER, name: nameField }, body);
}
