import type { Account } from '../../domain/people/account.ts';
import type { Deps } from '../core/deps.ts';
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
  return `${uuid}.${nonce}.${vault.sign(PURPOSE, `${uuid} ${nonce}`, SIGNATURE_LENGTH)}`;
}

/** The content of a token that this service has signed. */
interface Device {
  /** The account to which it was signed in. */
  readonly accountUuid: string;
  readonly nonce: string;
}

/** Returns the device, if the token is one of ours. */
export function signedDevice(
  { vault }: Pick<Deps, 'vault'>,
  { device }: Pick<Client, 'device'>,
): Device | null {
  if (device === null) return null;
  const [accountUuid = '', nonce = '', signature = ''] = device.split('.');
  const isSigned = vault.isSigned(signature, PURPOSE, `${accountUuid} ${nonce}`, SIGNATURE_LENGTH);
  return isSigned ? { accountUuid, nonce } : null;
}

/** Returns what identifies the device, if it was signed in to this account before. */
export function knownDevice(
  deps: Pick<Deps, 'vault'>,
  account: Pick<Account, 'uuid'> | null,
  client: Client,
): string | null {
  const device = account === null ? null : signedDevice(deps, client);
  return device === null || device.accountUuid !== account?.uuid ? null : device.nonce;
}
