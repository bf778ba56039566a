import type { JsonObject } from '../api/body.ts';
import {
  codeField,
  emailField,
  nameField,
  passwordField,
  readGiven,
  readInput,
  revokeTokensField,
  sealedField,
  tokenField,
} from './input.ts';

export function parseSignIn(body: JsonObject): { readonly email: string; readonly password: string } {
  return readInput({ email: emailField, password: passwordField }, body);
}

/** A password, or a code of a second factor. */
export function parseConfirmation(
  body: JsonObject,
): { readonly password: string; readonly code: null } | { readonly password: null; readonly code: string } {
  const { code } = readGiven({ code: codeField }, body);
  if (code !== undefined) return { password: null, code };
  return { ...readInput({ password: passwordField }, body), code: null };
}

/** A code, and what the page was given to send back with it. */
export function parseTypedCode(body: JsonObject): { readonly pending: string; readonly code: string } {
  return readInput({ pending: sealedField, code: codeField }, body);
}

export function parseAuthenticator(body: JsonObject): { readonly sealed: string; readonly code: string } {
  return readInput({ sealed: sealedField, code: codeField }, body);
}

export function parseEmail(body: JsonObject): { readonly email: string } {
  return readInput({ email: emailField }, body);
}

export function parseToken(body: JsonObject): { readonly token: string } {
  return readInput({ token: tokenField }, body);
}

/** Who has forgotten the password may fear that somebody else knows it, so tokens are revoked unless the person keeps them. */
export function parseNewPassword(body: JsonObject): {
  readonly token: string;
  readonly password: string;
  readonly revokesTokens: boolean;
} {
  const { revoke_tokens: revokesTokens = true } = readGiven({ revoke_tokens: revokeTokensField }, body);
  return { ...readInput({ token: tokenField, password: passwordField }, body), revokesTokens };
}

export interface SetupInput {
  readonly token: string;
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

export function parseSetup(body: JsonObject): SetupInput {
  const { name = '' } = readGiven({ name: nameField }, body);
  return { ...readInput({ token: tokenField, email: emailField, password: passwordField }, body), name };
}
