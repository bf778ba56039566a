/**
 * The fragment of a mailed link: its secret, and the path where the person goes on. The path is not readable: strangers
 * who have a link mailed to somebody choose it, and must not put words into the mail.
 */
export function linkFragment(token: string, next: string): string {
  if (next === '/') return token;
  return `${token}.${btoa(next).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** Anybody can write an address, so that the path may lead to another site. */
export function readLinkFragment(fragment: string): { readonly token: string; readonly next: string } {
  const [token = '', path = ''] = fragment.split('.');
  try {
    return { token, next: atob(path.replaceAll('-', '+').replaceAll('_', '/')) };
  } catch {
    return { token, next: '' };
  }
}
