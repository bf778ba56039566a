import type { Account } from '../../domain/account.ts';
import type { Deps } from '../deps.ts';
import type { Client } from './client.ts';

/**
 * A token that a sign-in leaves in the browser. It shows that the browser was signed in to the account before. It opens
 * nothing: it only keeps strangers' attempts from locking the browser out.
 */
const NONCE_BYTES = 16;
const SIGNATURE_LENGTH = 64;
const PURPOSE = 'device';

export function newDeviceToken(
  { vault, random }: Pick<Deps, 'vault' | 'random'>,
  { uuid }: Pick<Account, 'uuid'>,
): string {
  const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('base64url');
  return `${nonce}.${vault.sign(PURPOSE, `${uuid} ${nonce}`, SIGNATURE_LENGTH)}`;
}

/** Returns what identifies the device, if it was signed in to this account before. */
export function knownDevice(
  { vault }: Pick<Deps, 'vault'>,
  account: Pick<Account, 'uuid'> | null,
  { device }: Client,
): string | null {
  if (device === null || account === null) return null;
  const [nonce = '', signature = ''] = device.split('.');
  return vault.isSigned(signature, PURPOSE, `${account.uuid} ${nonce}`, SIGNATURE_LENGTH) ? nonce : null;
}
