import { AppError } from '../../domain/errors.ts';
import { MEMBER_ROLES, type MemberRole } from '../../domain/people/permission.ts';
import { flag, oneOf } from '../../lib/fields.ts';
import { emailField, readGiven, readInput } from '../dashboard/input.ts';
import type { JsonObject } from './body.ts';

export const roleField = oneOf(MEMBER_ROLES, 'What the person may do in the project.');

export const revokeField = flag(
  'Whether keys and wall displays that the person has made are revoked as well.',
);

export function parseRoleChange(body: JsonObject): { readonly role: MemberRole; readonly revokes: boolean } {
  const { revoke: revokes = false } = readGiven({ revoke: revokeField }, body);
  return { ...readInput({ role: roleField }, body), revokes };
}

/** Whether a removal revokes the person's keys and walls: `?revoke=true`. */
export function parseRemoval(query: URLSearchParams): { readonly revokes: boolean } {
  const given = query.get('revoke') ?? 'false';
  if (given !== 'true' && given !== 'false')
    throw new AppError('invalid_query', 'revoke is neither true nor false', { field: 'revoke' });
  return { revokes: given === 'true' };
}

/** Without an address it is a link for somebody to pass on. */
export function parseInvitation(body: JsonObject): {
  readonly email: string | null;
  readonly role: MemberRole;
} {
  const { email = null, role = 'member' } = readGiven({ email: emailField, role: roleField }, body);
  return { email, role };
}
