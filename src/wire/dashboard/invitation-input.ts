import type { JsonObject } from '../api/body.ts';
import { emailField, invitationTokenField, passwordField, readGiven, readInput } from './input.ts';
import { type NewProfileInput, parseNewProfile } from './sign-up-input.ts';

export function parseInvitationToken(body: JsonObject): { readonly token: string } {
  return readInput({ token: invitationTokenField }, body);
}

export function parseNewcomer(body: JsonObject): NewProfileInput & {
  readonly token: string;
  readonly email: string | null;
  readonly password: string | null;
} {
  const { email = null, password = null } = readGiven({ email: emailField, password: passwordField }, body);
  return { ...parseNewProfile(body), ...parseInvitationToken(body), email, password };
}
