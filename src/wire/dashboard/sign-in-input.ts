import type { JsonObject } from '../api/body.ts';
import { emailField, nameField, passwordField, readGiven, readRequired, tokenField } from './input.ts';

export function parseSignIn(body: JsonObject): { readonly email: string; readonly password: string } {
  return readRequired({ email: emailField, password: passwordField }, body);
}

export function parseConfirmation(body: JsonObject): { readonly password: string } {
  return readRequired({ password: passwordField }, body);
}

export function parseEmail(body: JsonObject): { readonly email: string } {
  return readRequired({ email: emailField }, body);
}

export function parseToken(body: JsonObject): { readonly token: string } {
  return readRequired({ token: tokenField }, body);
}

export function parseNewPassword(body: JsonObject): { readonly token: string; readonly password: string } {
  return readRequired({ token: tokenField, password: passwordField }, body);
}

export interface SetupInput {
  readonly token: string;
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

export function parseSetup(body: JsonObject): SetupInput {
  const { name = '' } = readGiven({ name: nameField }, body);
  return { ...readRequired({ token: tokenField, email: emailField, password: passwordField }, body), name };
}
