import { canonicalTimezone } from '../../domain/schedule/timezone.ts';
import type { JsonObject } from '../api/body.ts';
import { emailField, nameField, passwordField, readGiven, readInput, tokenField } from './input.ts';

export interface NewProfileInput {
  readonly name: string;
  readonly tz: string | null;
}

export function parseNewProfile(body: JsonObject): NewProfileInput {
  const { name = '' } = readGiven({ name: nameField }, body);
  // A browser may know zones that are not known here.
  return { name, tz: typeof body.tz === 'string' ? canonicalTimezone(body.tz) : null };
}

export function parseSignUp(
  body: JsonObject,
): NewProfileInput & { readonly token: string; readonly password: string | null } {
  const { password = null } = readGiven({ password: passwordField }, body);
  return { ...parseNewProfile(body), ...readInput({ token: tokenField }, body), password };
}

export function parseSignUpWithoutMail(
  body: JsonObject,
): NewProfileInput & { readonly email: string; readonly password: string } {
  return { ...parseNewProfile(body), ...readInput({ email: emailField, password: passwordField }, body) };
}
