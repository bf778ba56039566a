import type { LinkPurpose } from '../../domain/link.ts';

/** What is done by opening a page. */
export type PagePurpose = Exclude<LinkPurpose, 'confirm'>;

const PAGES: Readonly<Record<PagePurpose, string>> = {
  setup: 'setup',
  sign_in: 'sign-in',
  sign_up: 'sign-up',
  set_password: 'password',
  change_email: 'email',
};

/**
 * The address of a link that works once. The secret is in the fragment, which browsers send to no server: it reaches
 * neither logs nor other sites. Opening the page does nothing, since scanners of mails open links, too. The page sends
 * the secret when the person goes on.
 */
export function linkAddress(root: string, purpose: PagePurpose, token: string): string {
  return `${root}/accounts/${PAGES[purpose]}/#${token}`;
}

/** The address of an invitation, with the secret in the same place. */
export function invitationAddress(root: string, token: string): string {
  return `${root}/accounts/invitation/#${token}`;
}
