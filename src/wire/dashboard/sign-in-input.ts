import type { JsonObject } from '../api/body.ts';
import { emailField, passwordField, readRequired } from './input.ts';

export function parseSignIn(body: JsonObject): { readonly email: string; readonly password: string } {
  return readRequired({ email: emailField, password: passwordField }, body);
}

export function parseConfirmation(body: JsonObject): { readonly password: string } {
  return readRequired({ password: passwordField }, body);
}
