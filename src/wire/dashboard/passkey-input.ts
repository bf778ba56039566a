import { PASSKEY_KINDS, type PasskeyKind } from '../../domain/people/passkey.ts';
import { Fault, type Field, oneOf } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { nameField, readGiven, readInput, sealedField } from './input.ts';

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
  return readInput(ANSWER, body);
}

/** A key as the second proof of a sign-in. */
export function parseKeyAnswer(body: JsonObject): {
  readonly pending: string;
  readonly sealed: string;
  readonly response: JsonObject;
} {
  return readInput({ ...ANSWER, ...PENDING }, body);
}

const PENDING = { pending: sealedField };

export function parsePending(body: JsonObject): { readonly pending: string } {
  return readInput(PENDING, body);
}

export function parsePasskeyKind(body: JsonObject): PasskeyKind {
  const { kind = 'passkey' } = readGiven({ kind: oneOf(PASSKEY_KINDS, 'What the key is for.') }, body);
  return kind;
}

export function parseKeyName(body: JsonObject): { readonly name: string } {
  return readInput({ name: nameField }, body);
}

export function parsePasskey(body: JsonObject): {
  readonly sealed: string;
  readonly response: JsonObject;
  readonly name: string;
} {
  return readInput({ ...ANSWER, name: nameField }, body);
}
