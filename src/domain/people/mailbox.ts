import { domainToASCII } from 'node:url';

/**
 * The mailbox that an address reaches, for limits that count by mailbox. Many spellings reach the same one: capitals; dots
 * before the `@`, and what follows a plus sign, mean nothing to many servers; domains have several dots, may end with one,
 * and may be written in Unicode or in ASCII. It is no address to send to.
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
