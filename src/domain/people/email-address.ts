import { TEXT_LIMITS } from '../text-limits.ts';
import { PLACEHOLDER_EMAIL } from './account.ts';

/** Rejects texts that cannot be an address. Only the mail system knows whether a mailbox exists. */
const ADDRESS = /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/;

export function isEmailAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/**
 * The address as accounts have it: in lower case, without blanks around it. Null if no account can have it. The placeholder
 * address is rejected: the first administrator takes over the account that has it.
 */
export function accountEmail(text: string): string | null {
  const address = text.trim().toLowerCase();
  const isRight =
    isEmailAddress(address) &&
    isStorable(address) &&
    address.length <= TEXT_LIMITS.emailAddress &&
    address !== PLACEHOLDER_EMAIL;
  return isRight ? address : null;
}

/** The part after the `@`. */
export function domainOf(email: string): string {
  return email.split('@')[1] ?? '';
}

/** PostgreSQL can store neither NUL nor half a surrogate pair. Addresses have no other control characters. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}
