import { AppError } from '../../domain/errors.ts';
import { accountEmail, domainOf } from '../../domain/people/email-address.ts';
import { MAX_ISSUER_LENGTH, MAX_SUBJECT_LENGTH, type ProvidedPerson } from '../../domain/people/identity.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import type { OpenIdClaims } from '../../lib/openid.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { ProviderSettings } from './deps.ts';

/** A person as the provider tells of them. */
export interface PersonOfProvider extends ProvidedPerson {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Reads the claims. A person without a verified address, or with one of another domain, is refused, even if their
 * account is known: the operator admits people by their addresses.
 */
export function personOf(
  { issuer, subject, others }: OpenIdClaims,
  { domains, groupsClaim }: Pick<ProviderSettings, 'domains' | 'groupsClaim'>,
): PersonOfProvider {
  const email = typeof others.email === 'string' ? accountEmail(others.email) : null;
  if (email === null || !isName(issuer, MAX_ISSUER_LENGTH) || !isName(subject, MAX_SUBJECT_LENGTH))
    throw new AppError('provider_refused');
  // Some providers write it as a text.
  if (others.email_verified !== true && others.email_verified !== 'true')
    throw new AppError('email_unverified');
  if (domains !== null && !domains.includes(domainOf(email))) throw new AppError('domain_not_admitted');
  const name = typeof others.name === 'string' ? others.name : '';
  return {
    issuer,
    subject,
    email,
    name: firstCharacters(oneLine(name), TEXT_LIMITS.accountName),
    groups: [others[groupsClaim] ?? []].flat().filter((group) => typeof group === 'string'),
  };
}

/** PostgreSQL can store no NUL. */
function isName(text: string, maxLength: number): boolean {
  return text.length > 0 && text.length <= maxLength && text.isWellFormed() && !text.includes('\0');
}
