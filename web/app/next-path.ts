import { MAX_NEXT_LENGTH } from '../../src/wire/dashboard/limits.ts';

/**
 * The page after signing in: a path of this site that the address names, or the projects. The fragment goes along: it
 * contains secrets of links.
 */
export function nextPath({ search, hash }: { readonly search: string; readonly hash: string }): string {
  const path = ownPath(new URLSearchParams(search).get('next') ?? '');
  return path === '/' ? path : path + hash;
}

/** The path, if it is one of this site. Else that of the projects. */
export function ownPath(path: string): string {
  // Two slashes, or a backslash, would name another host, also with a tab between them, which browsers leave out.
  return /^\/(?![/\\])[!-~]*$/.test(path) ? path : '/';
}

/** The path as the server takes it along, into a mail or to a provider. */
export const sentPath = (path: string): string => (path.length > MAX_NEXT_LENGTH ? '/' : path);

/** The parts of an address from which `nextPath` reads the path. */
export function withNext(path: string): {
  readonly search: { readonly next?: string };
  readonly hash: string;
} {
  const [next = '', hash = ''] = path.split('#', 2);
  return { search: next === '/' ? {} : { next }, hash };
}
