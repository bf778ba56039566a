/** An address that a mail ping goes to, with the ping key of the project before the plus sign. */
const PING_KEY = /(?<![\w-])[\w-]{22}(?=\+[\w-]+@)/g;

/**
 * A mask for what lets a reader ping: the check's UUID, which a ping's body or the address of a mail ping may
 * hold, and a ping key in such an address. Alerts are forwarded and archived more freely than that. The length
 * stays the same.
 */
export function secretsMask(uuid: string): (text: string) => string {
  const pattern = new RegExp(uuid.split('-').map(RegExp.escape).join('-?'), 'gi');
  return (text) => text.replace(pattern, crossedOut).replace(PING_KEY, crossedOut);
}

function crossedOut(secret: string): string {
  return secret.replace(/\w/g, 'x');
}
