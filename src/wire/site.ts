/** How the installation is known to the outside. */
export interface Site {
  /** Public base address, without a slash at its end. */
  readonly root: string;
  /** What ping addresses begin with. */
  readonly pingEndpoint: string;
  /** Label of the badge over all checks of a project. */
  readonly masterBadgeLabel: string;
}

/** Where a check is looked at; asks for a login, and does not tell the UUID, which is the secret of pings. */
export function checkPage(root: string, uniqueKey: string): string {
  return `${root}/cloaked/${uniqueKey}/`;
}
