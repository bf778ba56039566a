import { MAX_PING_KEY, MIN_PING_KEY } from '../domain/people/api-key.ts';

/** An address for mail pings, with the project's ping key before the plus sign. */
const PING_KEY = new RegExp(`(?<![\\w-])[\\w-]{${MIN_PING_KEY},${MAX_PING_KEY}}(?=\\+[\\w-]+@)`, 'g');

/**
 * Masks the secrets with which a reader could ping: the check's UUID, which may be in a ping's body or in the address
 * of a mail ping, and a ping key in such an address. Alerts are forwarded and archived, so they must not contain these
 * secrets. The length of the text stays the same.
 */
export function secretsMask(uuid: string): (text: string) => string {
  const pattern = new RegExp(uuid.split('-').map(RegExp.escape).join('-?'), 'gi');
  return (text) => text.replace(pattern, crossedOut).replace(PING_KEY, crossedOut);
}

function crossedOut(secret: string): string {
  return secret.replace(/\w/g, 'x');
}
