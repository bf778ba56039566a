import { Fault, type Field } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { sealedField } from './input.ts';

/** The answer of WebAuthn in the browser. Its parts are looked at when it is verified. */
const responseField: Field<JsonObject> = {
  read(value, name) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : new Fault(`${name} is not an object`);
  },
  schema: { type: 'object' },
};

/** A challenge that a key has signed. */
export const SIGNED_CHALLENGE = { sealed: sealedField, response: responseField };
