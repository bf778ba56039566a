import type { LinkPurpose } from '../../domain/people/link.ts';

/** Apart from `/api/`, whose versions are for programs. This API belongs to the page and changes with it. */
export const DASHBOARD_API = '/dashboard/api';

/** A path of the dashboard's own API. */
export const PROVIDER_CALLBACK_PATH = '/sign-in/provider/callback';

/** The address to which a provider sends people back. The operator tells it to the provider. */
export function providerCallbackAddress(root: string): string {
  return `${root}${DASHBOARD_API}${PROVIDER_CALLBACK_PATH}`;
}

/** Purposes of links that open a page. */
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

/** The address of the page where a recipient confirms that messages are wanted. */
export function channelConfirmationAddress(root: string, uuid: string, token: string): string {
  return `${root}/integrations/${uuid}/verify/${token}/`;
}

/** The path of the page for signing in, for people whom a provider has sent back without success. */
export function refusedSignInPath(code: string): string {
  return withRefusal('/accounts/login/', code);
}

/** The path with the code of what went wrong, which the page shows. */
export function withRefusal(path: string, code: string): string {
  const url = new URL(path, 'http://page');
  url.searchParams.set('refused', code);
  return url.pathname + url.search + url.hash;
}
