import { toIsoSeconds } from '../lib/instant.ts';
import type { ShownAlias } from '../services/ping/aliases.ts';

/** The token is null if it was sealed under a secret that is not known any more. */
export function aliasJson({ uuid, dialect, token, lastUsedAt }: ShownAlias) {
  return { uuid, dialect, token, lastUsed: toIsoSeconds(lastUsedAt) };
}
