import { MEMBER_ROLES, type MemberRole } from '../../domain/people/permission.ts';
import { oneOf } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { emailField, invitationTokenField, passwordField, readGiven, readRequired } from './input.ts';
import { type NewProfileInput, parseNewProfile } from './sign-up-input.ts';

export const roleField = oneOf(MEMBER_ROLES, 'What the person may do in the project.');

export function parseRole(body: JsonObject): { readonly role: MemberRole } {
  return readRequired({ role: roleField }, body);
}

/** Without an address it is a link for somebody to pass on. */
export function parseInvitation(body: JsonObject): {
  readonly email: string | null;
  readonly role: MemberRole;
} {
  const { email = null, role = 'member' } = readGiven({ email: emailField, role: roleField }, body);
  return { email, role };
}

export function parseInvitationToken(body: JsonObject): { readonly token: string } {
  return readRequired({ token: invitationTokenField }, body);
}

export function parseNewcomer(body: JsonObject): NewProfileInput & {
  readonly token: string;
  readonly email: string | null;
  readonly password: string | null;
} {
  const { email = null, password = null } = readGiven({ email: emailField, password: passwordField }, body);
  return { ...parseNewProfile(body), ...parseInvitationToken(body), email, password };
}
