import { ROOT } from './api.ts';

/**
 * Where to go after signing in: a path of this site that the address names, or the projects. The fragment goes along: it is
 * where secrets of links are.
 */
export function nextPath({ search, hash }: Pick<Location, 'search' | 'hash'>): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  // Two slashes, or a backslash, would name another host.
  return /^\/(?![/\\])/.test(next) ? next + hash : '/';
}

/** Opens a path of the site with a new load, so that nothing of a former person stays in memory. */
export function open(path: string): void {
  location.assign(ROOT + path);
}
