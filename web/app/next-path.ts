/**
 * The page after signing in: a path of this site that the address names, or the projects. The fragment goes along: it
 * contains secrets of links.
 */
export function nextPath({ search, hash }: { readonly search: string; readonly hash: string }): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  // Two slashes, or a backslash, would name another host, also with a tab between them, which browsers leave out.
  return /^\/(?![/\\])[!-~]*$/.test(next) ? next + hash : '/';
}
