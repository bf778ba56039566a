import { uuidOfDigest } from '../../lib/uuid-of-name.ts';
import { sha256 } from '../../lib/vault.ts';

/** The same for every import of the installation. */
export function installationOf(jwtSecret: string): string {
  return sha256(`installation ${jwtSecret}`);
}

/**
 * The UUID of an entry, the same in every import. Nobody can compute it without the secret of the installation. It has
 * the bits of version 4, which addresses of pings by mail demand.
 */
export function uuidOf(jwtSecret: string, entry: string): string {
  return uuidOfDigest(sha256(`entry ${jwtSecret} ${entry}`), 4);
}
