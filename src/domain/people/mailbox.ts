import { domainToASCII } from 'node:url';

/**
 * The mailbox that an address reaches, for limits that count by mailbox. Many spellings reach the same one: capitals;
 * dots before the `@` and text after a plus sign, which many servers ignore; domains have several dots, may end with
 * one, and may be written in Unicode or in ASCII. Mail must not be sent to it.
 */
export function mailboxOf(email: string): string {
  const [local = '', domain = ''] = email.trim().split('@');
  const name = local.normalize('NFKC').toLowerCase().replace(/\+.*$/s, '').replaceAll('.', '');
  return `${name}@${canonicalDomain(domain)}`;
}

/** Text that is not a domain is kept. */
function canonicalDomain(domain: string): string {
  const text = domain.normalize('NFKC').toLowerCase().replaceAll('。', '.').replace(/\.+$/, '');
  return domainToASCII(text) || text;
}
