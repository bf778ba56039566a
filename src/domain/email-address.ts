/** Rejects texts that cannot be an address. Only the mail system knows whether a mailbox exists. */
const ADDRESS = /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/;

export function isEmailAddress(text: string): boolean {
  return ADDRESS.test(text);
}
