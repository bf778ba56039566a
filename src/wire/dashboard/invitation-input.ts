import type { JsonObject } from '../api/body.ts';
import { emailField, invitationTokenField, passwordField, readGiven, readInput } from './input.ts';
import { NEW_PROFILE, newProfile } from './sign-up-input.ts';

export function parseInvitationToken(body: JsonObject): { readonly token: string } {
  return readInput({ token: invitationTokenField }, body);
}

export function parseNewcomer(body: JsonObject): ReturnType<typeof newProfile> & {
  readonly token: string;
  readonly email: string | null;
  readonly password: string | null;
} {
  const { email = null, password = null } = readGiven({ email: emailField, password: passwordField }, body);
  return { ...newProfile(readGiven(NEW_PROFILE, body)), ...parseInvitationToken(body), email, password };
}
