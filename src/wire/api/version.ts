/** Clients use all three. The prefix of the path decides which one applies. */
export type ApiVersion = 1 | 2 | 3;

export const API_VERSIONS: readonly ApiVersion[] = [1, 2, 3];

export const LATEST_VERSION = 3 satisfies ApiVersion;

/** Below which all paths of the version are. */
export function basePath(version: ApiVersion): string {
  return `/api/v${version}`;
}
